// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "SortedArrayEngine",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "SortedArrayEngine", targets: ["SortedArrayEngine"])
    ],
    dependencies: [.package(name: "JustPersist", path: "../..")],
    targets: [
        .target(
            name: "SortedArrayEngine",
            dependencies: [
                .product(name: "JustPersist", package: "JustPersist"),
                .product(name: "JustPersistRecords", package: "JustPersist"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SortedArrayEngineTests",
            dependencies: [
                "SortedArrayEngine",
                .product(name: "JustPersist", package: "JustPersist"),
                .product(name: "JustPersistConformance", package: "JustPersist"),
                .product(name: "JustPersistConformanceTesting", package: "JustPersist"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
