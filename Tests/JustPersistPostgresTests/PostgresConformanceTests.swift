import Foundation
import JustPersist
import JustPersistConformanceTesting
import JustPersistPostgres
import Testing

/// The backend, held to the contract by the kit as any other store is.
enum PostgresFixture: ConformanceFixture {
    static var keepsFiles: Bool { false }

    static func makeStore(in directory: URL) throws -> PostgresDataStore {
        try makeStore(in: directory, changeLog: nil)
    }

    static func makeStoreWithChangeLog(in directory: URL) throws -> (any DataStore)? {
        try makeStore(in: directory, changeLog: ChangeLogLength(commits: 100))
    }

    private static func makeStore(
        in directory: URL, changeLog: ChangeLogLength?
    ) throws -> PostgresDataStore {
        let url = Server.url ?? "postgres://postgres@%2Fno-server/postgres"
        let options = DataStoreOptions(changeLog: changeLog)
        PostgresDataStore.register()
        let store = try DataStores.make(
            Server.with(options: ["store=\(name(of: directory))"], url), options: options)
        guard let store = store as? PostgresDataStore else { throw DataStoreError.noStore }
        return store
    }

    /// The name of the store in a directory, which every process finds for itself.
    private static func name(of directory: URL) -> String {
        var hash: UInt64 = 14_695_981_039_346_656_037
        for byte in directory.standardizedFileURL.path.utf8 {
            hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211
        }
        return "kit_\(String(hash, radix: 36))"
    }
}

extension DataStoreError {
    fileprivate static let noStore = DataStoreError(
        .invalidStoreURL, in: "open", "The scheme postgres: makes another store.")
}

@Suite(.serialized, .enabled(if: Server.isThere, Server.notThere)) struct PostgresConformance {
    @Test(arguments: Conformance.checks(PostgresFixture.self, level: .v1))
    func check(_ check: Check) async throws { try await check.run() }
}
