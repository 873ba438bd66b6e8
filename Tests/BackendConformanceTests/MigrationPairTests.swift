import Foundation
import JustPersist
import JustPersistConformanceTesting
import Testing

/// One backend held to the contract's rules of migrations, with another one in the place of the reference store.
enum Pair<First: ConformanceFixture, Second: ConformanceFixture>: ConformanceFixture {
    static func makeStore(in directory: URL) throws -> First.Store {
        try First.makeStore(in: directory)
    }

    static func makeSecondStore(in directory: URL) throws -> (any DataStore)? {
        try Second.makeStore(in: directory)
    }

    static var storeName: String { "\(First.storeName) with \(Second.storeName)" }
}

/// The profile is that of `JP_PROFILE`: quick, full or soak.
@Test(
    arguments: [
        Pair<MemoryFixture, MemoryFixture>.self, Pair<MemoryFixture, LMDBFixture>.self,
        Pair<MemoryFixture, LevelDBFixture>.self, Pair<LMDBFixture, MemoryFixture>.self,
        Pair<LMDBFixture, LMDBFixture>.self, Pair<LMDBFixture, LevelDBFixture>.self,
        Pair<LevelDBFixture, MemoryFixture>.self, Pair<LevelDBFixture, LMDBFixture>.self,
        Pair<LevelDBFixture, LevelDBFixture>.self,
    ] as [any ConformanceFixture.Type])
func itemsMigrateFromEachBackendToEachOther(_ pair: any ConformanceFixture.Type) async throws {
    var options = try ConformanceOptions(environment: ProcessInfo.processInfo.environment)
    options.only = ["mig/*"]
    options.runsInProcess = true
    let report = await Conformance.report(on: pair, options: options, children: nil)
    #expect(report.isConformant, "\(report)")
    #expect(report.count(.pass) >= 11, "\(report)")
}
