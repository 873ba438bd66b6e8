// swift-tools-version: 6.2
import CompilerPluginSupport
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
    name: "JustPersist",
    // Linux needs no entry. The engines are system libraries, so there is no other platform.
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "JustPersist", targets: ["JustPersist"]),
        .library(name: "JustPersistMacros", targets: ["JustPersistMacros"]),
        .library(name: "JustPersistRecords", targets: ["JustPersistRecords"]),
        .library(name: "JustPersistLMDB", targets: ["JustPersistLMDB"]),
        .library(name: "JustPersistLevelDB", targets: ["JustPersistLevelDB"]),
        .library(name: "JustPersistPostgres", targets: ["JustPersistPostgres"]),
        .library(name: "JustPersistMemory", targets: ["JustPersistMemory"]),
        .library(name: "JustPersistSkopelos", targets: ["JustPersistSkopelos"]),
        .library(
            name: "JustPersistServiceLifecycle", targets: ["JustPersistServiceLifecycle"]),
        .library(name: "JustPersistConfiguration", targets: ["JustPersistConfiguration"]),
        .library(name: "JustPersistTelemetry", targets: ["JustPersistTelemetry"]),
        .library(name: "JustPersistMigration", targets: ["JustPersistMigration"]),
        .library(name: "JustPersistImportExport", targets: ["JustPersistImportExport"]),
        .library(name: "JustPersistCoreData", targets: ["JustPersistCoreData"]),
        .library(name: "JustPersistConformance", targets: ["JustPersistConformance"]),
        .library(
            name: "JustPersistConformanceTesting", targets: ["JustPersistConformanceTesting"]),
        .library(name: "JustPersistSimulation", targets: ["JustPersistSimulation"]),
        .library(name: "JustPersistInspector", targets: ["JustPersistInspector"]),
        .executable(name: "justpersist", targets: ["JustPersistCLI"]),
        .executable(name: "justpersist-conformance", targets: ["JustPersistConformanceCLI"]),
        .plugin(name: "NewDataStore", targets: ["NewDataStore"]),
        .plugin(name: "GenerateItems", targets: ["GenerateItems"]),
    ],
    // On by default; who does not use the product need not fetch what it depends on: traits: []
    traits: [
        .trait(
            name: "ServiceLifecycle",
            description: "The product JustPersistServiceLifecycle, over swift-service-lifecycle."),
        .trait(
            name: "Configuration",
            description: "The product JustPersistConfiguration, over swift-configuration."),
        .trait(
            name: "Inspector",
            description:
                "The product JustPersistInspector and the verb inspect, over FlyingFox's sockets."),
        .trait(
            name: "Telemetry",
            description:
                "The product JustPersistTelemetry, over swift-metrics and distributed tracing."),
        .default(enabledTraits: ["ServiceLifecycle", "Configuration", "Inspector", "Telemetry"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.5.0"),
        // Its providers for files are for the program to choose, by traits of its own.
        .package(
            url: "https://github.com/apple/swift-configuration.git", from: "1.0.0", traits: []),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.5.0"),
        .package(
            url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.6.0"),
        // Before 1.0: a minor release may change what the inspector uses.
        .package(url: "https://github.com/swhitty/FlyingFox.git", .upToNextMinor(from: "0.27.1")),
        .package(url: "https://github.com/swiftlang/swift-docc-plugin.git", from: "1.4.0"),
        .package(url: "https://github.com/swiftlang/swift-syntax.git", "602.0.0"..<"604.0.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CLMDB", pkgConfig: "lmdb",
            providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
        .systemLibrary(
            name: "CLevelDB",
            providers: [.apt(["libleveldb-dev"]), .brew(["leveldb"])]),
        .systemLibrary(
            name: "CPostgres", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .systemLibrary(
            name: "CCSV", providers: [.apt(["libcsv-dev"]), .brew(["libcsv"])]),
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CZstd", pkgConfig: "libzstd",
            providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),

        .target(
            name: "JustPersist", dependencies: [.product(name: "Logging", package: "swift-log")],
            swiftSettings: settings),
        .target(
            name: "JustPersistMacros", dependencies: ["JustPersist", "JustPersistMacrosPlugin"],
            swiftSettings: settings),
        .macro(
            name: "JustPersistMacrosPlugin",
            dependencies: [
                .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
                .product(name: "SwiftDiagnostics", package: "swift-syntax"),
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftSyntax", package: "swift-syntax"),
                .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
            ],
            swiftSettings: settings),
        .target(
            name: "JustPersistRecords", dependencies: ["JustPersist"], swiftSettings: settings),
        .target(
            name: "JustPersistLMDB", dependencies: ["JustPersist", "JustPersistRecords", "CLMDB"],
            swiftSettings: settings),
        .target(
            name: "JustPersistLevelDB",
            dependencies: ["JustPersist", "JustPersistRecords", "CLevelDB"],
            swiftSettings: settings),
        .target(
            name: "JustPersistPostgres",
            dependencies: ["JustPersist", "JustPersistRecords", "CPostgres"],
            swiftSettings: settings),
        .target(
            name: "JustPersistMemory", dependencies: ["JustPersist", "JustPersistRecords"],
            swiftSettings: settings),
        .target(
            name: "JustPersistSkopelos", dependencies: ["JustPersist", "JustPersistMemory"],
            swiftSettings: settings),
        .target(
            name: "JustPersistServiceLifecycle",
            dependencies: [
                "JustPersist",
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["ServiceLifecycle"])),
            ],
            swiftSettings: settings),
        .target(
            name: "JustPersistConfiguration",
            dependencies: [
                "JustPersist",
                .product(
                    name: "Configuration", package: "swift-configuration",
                    condition: .when(traits: ["Configuration"])),
            ],
            swiftSettings: settings),
        .target(
            name: "JustPersistTelemetry",
            dependencies: [
                "JustPersist",
                .product(
                    name: "CoreMetrics", package: "swift-metrics",
                    condition: .when(traits: ["Telemetry"])),
                .product(
                    name: "Metrics", package: "swift-metrics",
                    condition: .when(traits: ["Telemetry"])),
                .product(
                    name: "Tracing", package: "swift-distributed-tracing",
                    condition: .when(traits: ["Telemetry"])),
            ],
            swiftSettings: settings),
        .target(
            name: "JustPersistMigration", dependencies: ["JustPersist", "JustPersistRecords"],
            swiftSettings: settings),
        // Apart from migration: who copies stores builds no readers of files.
        .target(
            name: "JustPersistImportExport",
            dependencies: ["JustPersist", "CCSV", "CZlib", "CZstd"],
            swiftSettings: settings),
        // Apart from the other imports: who reads no stores of Core Data needs no SQLite.
        .target(
            name: "JustPersistCoreData", dependencies: ["JustPersist", "CSQLite", "CZlib"],
            swiftSettings: settings),
        .target(
            name: "JustPersistConformance",
            dependencies: ["JustPersist", "JustPersistMigration", "JustPersistRecords"],
            swiftSettings: settings),
        .target(
            name: "JustPersistConformanceTesting",
            dependencies: ["JustPersist", "JustPersistConformance"], swiftSettings: settings),
        .target(
            name: "JustPersistSimulation",
            dependencies: ["JustPersist", "JustPersistMemory", "JustPersistRecords"],
            swiftSettings: settings),
        .target(
            name: "JustPersistInspector",
            dependencies: [
                "JustPersist", "JustPersistImportExport", "JustPersistMigration",
                "JustPersistRecords",
                .product(
                    name: "FlyingSocks", package: "FlyingFox",
                    condition: .when(traits: ["Inspector"])),
            ],
            swiftSettings: settings),
        // What the two programs share.
        .target(
            name: "JustPersistCommandLine",
            dependencies: [
                "JustPersist", "JustPersistLMDB", "JustPersistLevelDB", "JustPersistMemory",
                "JustPersistPostgres",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "JustPersistCLI",
            dependencies: [
                "JustPersist", "JustPersistRecords", "JustPersistMigration",
                "JustPersistImportExport", "JustPersistCoreData", "JustPersistCommandLine",
                "JustPersistPostgres",
                .target(
                    name: "JustPersistInspector", condition: .when(traits: ["Inspector"])),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings),
        // The verb `conformance`, apart from the tool: who imports and queries need not build the kit.
        .executableTarget(
            name: "JustPersistConformanceCLI",
            dependencies: [
                "JustPersist", "JustPersistCommandLine", "JustPersistConformance",
                "JustPersistLMDB", "JustPersistLevelDB", "JustPersistMigration",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings),
        .plugin(
            name: "NewDataStore",
            capability: .command(
                intent: .custom(
                    verb: "new-data-store",
                    description: "Write the start of a new data store, and the test that proves it."
                ),
                permissions: [
                    .writeToPackageDirectory(
                        reason: "It writes the new store and its test; it changes no file")
                ])),
        // It builds the tool itself, when it is run: a dependency on the tool would be built with every build.
        .plugin(
            name: "GenerateItems",
            capability: .command(
                intent: .custom(
                    verb: "generate-items",
                    description: "Write item classes for a model of Core Data."),
                permissions: [
                    .writeToPackageDirectory(
                        reason: "It writes the file that --output names; it changes no file")
                ])),

        .testTarget(
            name: "JustPersistTests",
            dependencies: [
                "JustPersist", "JustPersistConformance",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "DataStoreTests",
            dependencies: [
                "JustPersist", "JustPersistRecords", "JustPersistLMDB", "JustPersistLevelDB",
                "JustPersistMemory", "JustPersistMigration", "JustPersistConformance",
                "JustPersistMacros", .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["Fixtures"],
            swiftSettings: settings),
        // No dependency on the macros' plugin: all tests here, and what they need, would be built a second time for it.
        .testTarget(
            name: "JustPersistMacrosTests", dependencies: ["JustPersist", "JustPersistMacros"],
            swiftSettings: settings),
        .testTarget(
            name: "ReadmeTests",
            // What the documents import is built before they are compiled.
            dependencies: [
                "JustPersistLMDB", "JustPersistLevelDB", "JustPersistMemory", "JustPersistMacros",
                "JustPersistPostgres", "JustPersistConformanceTesting", "JustPersistSkopelos",
                "JustPersistServiceLifecycle", "JustPersistConfiguration", "JustPersistMigration",
                "JustPersistImportExport", "JustPersistCoreData", "JustPersistSimulation",
                "JustPersistInspector", "JustPersistTelemetry",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "JustPersistSkopelosTests",
            dependencies: [
                "JustPersist", "JustPersistSkopelos", "JustPersistMacros", "JustPersistMemory",
                "JustPersistLMDB", "JustPersistLevelDB",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "JustPersistServiceLifecycleTests",
            dependencies: [
                "JustPersist", "JustPersistServiceLifecycle", "JustPersistMemory",
                .product(name: "Logging", package: "swift-log"),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["ServiceLifecycle"])),
                .product(
                    name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle",
                    condition: .when(traits: ["ServiceLifecycle"])),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "JustPersistConfigurationTests",
            dependencies: [
                "JustPersist", "JustPersistConfiguration", "JustPersistLMDB", "JustPersistLevelDB",
                "JustPersistMemory",
                .product(
                    name: "Configuration", package: "swift-configuration",
                    condition: .when(traits: ["Configuration"])),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "JustPersistTelemetryTests",
            dependencies: [
                "JustPersist", "JustPersistTelemetry", "JustPersistMemory",
                .product(name: "Logging", package: "swift-log"),
                .product(
                    name: "InMemoryTracing", package: "swift-distributed-tracing",
                    condition: .when(traits: ["Telemetry"])),
                .product(
                    name: "MetricsTestKit", package: "swift-metrics",
                    condition: .when(traits: ["Telemetry"])),
                .product(
                    name: "Tracing", package: "swift-distributed-tracing",
                    condition: .when(traits: ["Telemetry"])),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "KeyValueEngineTests",
            dependencies: [
                "JustPersist", "JustPersistRecords", "JustPersistLMDB", "JustPersistLevelDB",
                "JustPersistMemory", "JustPersistConformance",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "JustPersistPostgresTests",
            dependencies: [
                "JustPersist", "JustPersistRecords", "JustPersistPostgres", "JustPersistLMDB",
                "JustPersistLevelDB", "JustPersistMemory", "JustPersistMigration",
                "JustPersistInspector", "JustPersistConformanceTesting", "CPostgres",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "JustPersistMigrationTests",
            dependencies: [
                "JustPersist", "JustPersistMigration", "JustPersistLMDB", "JustPersistLevelDB",
                "JustPersistMemory", "JustPersistRecords", "JustPersistConformance",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "JustPersistSimulationTests",
            dependencies: [
                "JustPersist", "JustPersistImportExport", "JustPersistMigration",
                "JustPersistRecords", "JustPersistSimulation", "JustPersistSkopelos",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "JustPersistImportExportTests",
            dependencies: [
                "JustPersist", "JustPersistImportExport", "JustPersistMigration",
                "JustPersistLMDB", "JustPersistLevelDB", "JustPersistMemory",
                "JustPersistConformance",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "JustPersistCoreDataTests",
            dependencies: [
                "JustPersist", "JustPersistConformance", "JustPersistCoreData", "JustPersistLMDB",
                "JustPersistMemory", "CSQLite",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "JustPersistInspectorTests",
            dependencies: [
                "JustPersist", "JustPersistConformance", "JustPersistInspector", "JustPersistLMDB",
                "JustPersistMemory", "JustPersistLevelDB",
                .product(
                    name: "FlyingSocks", package: "FlyingFox",
                    condition: .when(traits: ["Inspector"])),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "BackendConformanceTests",
            dependencies: [
                "JustPersist", "JustPersistConformanceTesting", "JustPersistLMDB",
                "JustPersistLevelDB", "JustPersistMemory",
            ],
            swiftSettings: settings,
            // LMDB and LevelDB then call the functions with which the tests count syncs. SwiftPM refuses such flags only in
            // products of dependencies.
            linkerSettings: [
                .unsafeFlags(
                    ["fdatasync", "pwrite"].flatMap {
                        ["-Xlinker", "--export-dynamic-symbol=\($0)"]
                    }, .when(platforms: [.linux]))
            ]),
        .testTarget(
            name: "JustPersistCLITests",
            dependencies: [
                "JustPersist", "JustPersistLMDB", "JustPersistLevelDB", "JustPersistRecords",
                "JustPersistConformance",
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
