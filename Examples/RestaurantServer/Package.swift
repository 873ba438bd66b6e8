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
    name: "RestaurantServer",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "JustPersist", path: "../.."),
        .package(url: "https://github.com/swhitty/FlyingFox.git", .upToNextMinor(from: "0.27.1")),
        .package(
            url: "https://github.com/apple/swift-configuration.git", from: "1.0.0", traits: []),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
        .package(
            url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.6.0"),
    ],
    targets: [
        .executableTarget(
            name: "RestaurantServer",
            dependencies: [
                .product(name: "JustPersist", package: "JustPersist"),
                .product(name: "JustPersistConfiguration", package: "JustPersist"),
                .product(name: "JustPersistLevelDB", package: "JustPersist"),
                .product(name: "JustPersistLMDB", package: "JustPersist"),
                .product(name: "JustPersistMacros", package: "JustPersist"),
                .product(name: "JustPersistMemory", package: "JustPersist"),
                .product(name: "JustPersistServiceLifecycle", package: "JustPersist"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "FlyingSocks", package: "FlyingFox"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "RestaurantServerTests",
            dependencies: [
                "RestaurantServer",
                .product(name: "FlyingSocks", package: "FlyingFox"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
