import Testing

@Suite struct ScaffoldManifestTests {
    @Test func newTargetsAreGivenInFull() throws {
        let package = try TemporaryPackage()
        #expect(
            try Scaffold.make("Rocks", "--engine").nextSteps(in: package.outline()) == """
                Add to the targets:

                        .target(
                            name: "JustPersistRocks",
                            dependencies: [
                                .product(name: "JustPersist", package: "JustPersist"),
                                .product(name: "JustPersistRecords", package: "JustPersist"),
                            ]),
                        .testTarget(
                            name: "JustPersistRocksTests",
                            dependencies: [
                                "JustPersistRocks",
                                .product(name: "JustPersist", package: "JustPersist"),
                                .product(name: "JustPersistConformanceTesting", package: "JustPersist"),
                            ]),

                Then run the conformance kit, and fill in what it asks for:

                  swift test --filter RocksConformance
                """)
    }

    @Test func ofTargetsThatExistOnlyTheMissingDependenciesAreGiven() throws {
        let package = try TemporaryPackage()
        let outline = package.outline(
            ["App": ["JustPersist", "JustPersistRecords"], "AppTests": ["App"]],
            justPersist: "just-persist")
        #expect(
            try Scaffold.make("Realm", "--target", "App").nextSteps(in: outline).hasPrefix(
                """
                Add to the dependencies of “AppTests”:

                                .product(name: "JustPersist", package: "just-persist"),
                                .product(name: "JustPersistConformanceTesting", package: "just-persist"),

                Then
                """))
    }

    @Test func aManifestThatLacksNothingIsSaidToBeSo() throws {
        let package = try TemporaryPackage()
        let outline = package.outline([
            "App": ["JustPersist", "JustPersistRecords"],
            "AppTests": ["App", "JustPersist", "JustPersistConformanceTesting"],
        ])
        #expect(
            try Scaffold.make("Realm", "--target", "App").nextSteps(in: outline)
                .hasPrefix("No change is needed.\n"))
    }

    @Test func insideJustPersistProductsAreTargets() throws {
        let package = try TemporaryPackage()
        let steps = try Scaffold.make("Realm").nextSteps(in: package.outline(justPersist: nil))
        #expect(steps.contains("                \"JustPersist\",\n"))
        #expect(!steps.contains(".product"))
    }
}
