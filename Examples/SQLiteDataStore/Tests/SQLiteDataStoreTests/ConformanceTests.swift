import Foundation
import JustPersistConformanceTesting
import SQLiteDataStore
import Testing

enum SQLiteFixture: ConformanceFixture {
    static func makeStore(in directory: URL) throws -> SQLiteDataStore {
        SQLiteDataStore(at: directory)
    }
}

/// The conformance kit; without `.serialized`, so that the checks use all processors.
@Suite struct ConformanceTests {
    @Test(arguments: Conformance.checks(SQLiteFixture.self, level: .v1))
    func check(_ check: Check) async throws { try await check.run() }
}
