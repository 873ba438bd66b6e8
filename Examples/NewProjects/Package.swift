// swift-tools-version: 6.2
import PackageDescription

let mainActor: [SwiftSetting] = [
    .defaultIsolation(MainActor.self), .treatAllWarnings(as: .error),
]

// What a new user's first project looks like, in the modes that new projects have.
let package = Package(
    name: "NewProjects",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "JustPersist", path: "../..")],
    targets: [
        // An app: everything belongs to the main actor unless it says otherwise.
        .executableTarget(
            name: "MainActorApp",
            dependencies: [
                .product(name: "JustPersistLMDB", package: "JustPersist"),
                .product(name: "JustPersistMacros", package: "JustPersist"),
                .product(name: "JustPersistSkopelos", package: "JustPersist"),
            ],
            swiftSettings: mainActor + [
                .enableUpcomingFeature("InferIsolatedConformances"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            ]),
        // A script: code that is in no function.
        .executableTarget(
            name: "Script",
            dependencies: [
                .product(name: "JustPersistMacros", package: "JustPersist"),
                .product(name: "JustPersistMemory", package: "JustPersist"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]),
        // Both, in the language mode of projects that are not new.
        .executableTarget(
            name: "MainActorScript",
            dependencies: [
                .product(name: "JustPersistLevelDB", package: "JustPersist"),
                .product(name: "JustPersistMacros", package: "JustPersist"),
            ],
            swiftSettings: mainActor + [.swiftLanguageMode(.v5)]),
    ],
    swiftLanguageModes: [.v6]
)
