import Foundation
import JustPersist
import JustPersistConformanceTesting
import SortedArrayEngine
import Testing

enum SortedArrayFixture: ConformanceFixture {
    static func makeStore(in directory: URL) throws -> SortedArrayDataStore {
        SortedArrayDataStore()
    }
}

/// The conformance kit; without `.serialized`, so that the checks use all processors.
@Suite struct ConformanceTests {
    @Test(arguments: Conformance.checks(SortedArrayFixture.self, level: .v1))
    func check(_ check: Check) async throws { try await check.run() }
}
