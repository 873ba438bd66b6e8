// swift-tools-version: 6.2
import PackageDescription

// As in the root package. Built with --sanitize fuzzer, which adds libFuzzer's main function to each program.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "Fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "JustPersist", path: "../..")],
    targets: [
        .executableTarget(
            name: "FuzzPredicates",
            dependencies: [
                .product(name: "JustPersist", package: "JustPersist"),
                .product(name: "JustPersistMemory", package: "JustPersist"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "FuzzRecords",
            dependencies: [
                .product(name: "JustPersist", package: "JustPersist"),
                .product(name: "JustPersistMemory", package: "JustPersist"),
                .product(name: "JustPersistRecords", package: "JustPersist"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
