extension Scaffold {
    /// The whole adoption of the conformance kit.
    var conformanceTest: File {
        let imports = [
            "Foundation", "JustPersist", "JustPersistConformanceTesting", "Testing", target,
        ]
        return File(
            name: "\(name)ConformanceTests.swift",
            text: """
                \(imports.sorted().map { "import \($0)" }.joined(separator: "\n"))

                enum \(name)Fixture: ConformanceFixture {
                    static func makeStore(in directory: URL) throws -> \(name)DataStore {
                        \(name)DataStore(at: directory)
                    }
                }

                @Suite(.serialized) struct \(name)Conformance {
                    @Test(arguments: Conformance.checks(\(name)Fixture.self, level: .v1))
                    func check(_ check: Check) async throws { try await check.run() }
                }
                """)
    }

    /// What every member throws that is not written yet.
    var unfilled: String {
        """
            /// What a member throws until it is written; delete it with the last of them.
            static func unfilled(
                _ member: String = #function, in file: String = #fileID
            ) -> DataStoreError {
                DataStoreError(
                    .unsupported, in: member, "\(name) has no \\(member) yet: fill in \\(file).")
            }
        """
    }
}
