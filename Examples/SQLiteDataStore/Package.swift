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
    name: "SQLiteDataStore",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "SQLiteDataStore", targets: ["SQLiteDataStore"])
    ],
    dependencies: [
        .package(name: "JustPersist", path: "../.."),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    ],
    targets: [
        .target(
            name: "SQLiteDataStore",
            dependencies: [
                .product(name: "JustPersistRecords", package: "JustPersist"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SQLiteDataStoreTests",
            dependencies: [
                "SQLiteDataStore",
                .product(name: "JustPersistConformanceTesting", package: "JustPersist"),
                .product(name: "JustPersistLMDB", package: "JustPersist"),
                .product(name: "JustPersistLevelDB", package: "JustPersist"),
                .product(name: "JustPersistMemory", package: "JustPersist"),
                .product(name: "JustPersistMigration", package: "JustPersist"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
