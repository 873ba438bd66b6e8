// swift-tools-version: 6.2
import PackageDescription

// As in the root package, but without strict memory safety: here processes are started, traced and killed.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "Torture",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "JustPersist", path: "../..")],
    targets: [
        .target(name: "Workload", swiftSettings: settings),
        // The graph of the conformance kit, whose files are linked, because the kit does not export it.
        .target(
            name: "GraphTrial",
            dependencies: [.product(name: "JustPersist", package: "JustPersist")],
            swiftSettings: settings),
        .executableTarget(
            name: "TortureProbe",
            dependencies: [
                "GraphTrial", "Workload",
                .product(name: "JustPersist", package: "JustPersist"),
                .product(name: "JustPersistLMDB", package: "JustPersist"),
                .product(name: "JustPersistLevelDB", package: "JustPersist"),
                .product(name: "JustPersistMemory", package: "JustPersist"),
                .product(name: "JustPersistImportExport", package: "JustPersist"),
                .product(name: "JustPersistMigration", package: "JustPersist"),
                .product(name: "JustPersistRecords", package: "JustPersist"),
            ],
            swiftSettings: settings),
        // Everything at once, for the thread sanitizer.
        .executableTarget(
            name: "StressTool",
            dependencies: [
                "Workload",
                .product(name: "JustPersist", package: "JustPersist"),
                .product(name: "JustPersistLMDB", package: "JustPersist"),
                .product(name: "JustPersistLevelDB", package: "JustPersist"),
                .product(name: "JustPersistMemory", package: "JustPersist"),
            ],
            swiftSettings: settings),
        .target(name: "Torture", dependencies: ["Workload"], swiftSettings: settings),
        .executableTarget(
            name: "TortureTool", dependencies: ["Torture", "TortureProbe"], swiftSettings: settings),
        .testTarget(
            name: "TortureTests", dependencies: ["Torture", "TortureProbe", "Workload"],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
