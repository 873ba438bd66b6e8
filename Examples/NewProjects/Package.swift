// swift-tools-version: 6.2
import PackageDescription

let mainActor: [SwiftSetting] = [
    .defaultIsolation(MainActor.self), .treatAllWarnings(as: .error),
]

// The first project of a new user, in the modes that new projects have.
let package = Package(
    name: "NewProjects",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "JustPersist", path: "../..")],
    targets: [
        // An app: everything is isolated to the main actor by default.
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
        // A script: code outside of functions.
        .executableTarget(
            name: "Script",
            dependencies: [
                .product(name: "JustPersistMacros", package: "JustPersist"),
                .product(name: "JustPersistMemory", package: "JustPersist"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]),
        // Both, in the language mode of older projects.
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
