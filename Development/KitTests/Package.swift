// swift-tools-version: 6.2
import PackageDescription

// The tests of the tools for developers: the conformance kit with its sabotaged stores, and the plugin's output.
// They are a package of their own, so that a change of a store need not wait for them.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "KitTests",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "JustPersist", path: "../..")
    ],
    targets: [
        .testTarget(
            name: "JustPersistConformanceTests",
            dependencies: [
                .product(name: "JustPersist", package: "JustPersist"),
                .product(name: "JustPersistConformance", package: "JustPersist"),
                .product(name: "JustPersistConformanceTesting", package: "JustPersist"),
                .product(name: "JustPersistMemory", package: "JustPersist"),
                .product(name: "JustPersistRecords", package: "JustPersist"),
            ],
            swiftSettings: settings),
        // Compiles the plugin's own files through a link, since no target can import a plugin.
        .testTarget(
            name: "NewDataStoreTests",
            dependencies: [
                .product(name: "JustPersist", package: "JustPersist"),
                .product(name: "JustPersistRecords", package: "JustPersist"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
