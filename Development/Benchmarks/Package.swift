// swift-tools-version: 6.2
import PackageDescription

// As in the root package, but without strict memory safety, because three of the sides use C directly.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "JustPersist", path: "../.."),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/google/swift-benchmark", exact: "0.1.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        // Separate module names: the root package does not export its C modules.
        .systemLibrary(
            name: "CBenchLMDB", pkgConfig: "lmdb",
            providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
        .systemLibrary(
            name: "CBenchLevelDB",
            providers: [.apt(["libleveldb-dev"]), .brew(["leveldb"])]),
        .systemLibrary(
            name: "CBenchPostgres", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .executableTarget(
            name: "StoreBenchmark",
            dependencies: [
                "CBenchLMDB", "CBenchLevelDB", "CBenchPostgres",
                .product(name: "JustPersist", package: "JustPersist"),
                .product(name: "JustPersistLMDB", package: "JustPersist"),
                .product(name: "JustPersistLevelDB", package: "JustPersist"),
                .product(name: "JustPersistPostgres", package: "JustPersist"),
                .product(name: "JustPersistMemory", package: "JustPersist"),
                .product(name: "JustPersistMacros", package: "JustPersist"),
                .product(name: "JustPersistMigration", package: "JustPersist"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Benchmark", package: "swift-benchmark"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
