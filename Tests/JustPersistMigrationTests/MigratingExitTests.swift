import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistMigration
import Testing

/// The queued blocks of a store that moves to another one, when the program ends.
@Suite struct MigratingExitTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Both kinds of blocks: those that the store in charge has, and those that wait for a cut-over.
    @Test(arguments: [false, true])
    func exitLosesCompletionsOfAMigratingStore(_ cutsOver: Bool) async throws {
        let url = directory.url
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) { [url = url as URL, cutsOver = cutsOver as Bool] in
            let store = Self.store(at: url)
            try store.open()
            try store.writeSync { db in
                try db.declare(ItemSchema("T", attributes: [AttributeSchema("n")]))
            }
            try store.waitUntilInStep()
            for number in 0..<50 {
                store.writeAsync { db in
                    usleep(1000)
                    try db.create("T")["n"] = .int(Int64(number))
                } completion: { _ in
                    FileHandle.standardError.write(Data("JustPersist: \(number)\n".utf8))
                }
                if cutsOver, number == 25 {
                    Thread.detachNewThread { try? store.cutOver() }
                    usleep(2000)
                }
            }
            exit(0)
        }
        let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            .split(separator: "\n").filter { $0.hasPrefix("JustPersist: ") }
        #expect(lines == (0..<50).map { "JustPersist: \($0)" })
        let store = Self.store(at: url)
        try store.open()
        let count = try store.readSync { try $0.performCount(DataStoreRequest(itemTypeKey: "T")) }
        #expect(count == 50)
        try store.close()
    }

    private static func store(at url: URL) -> MigratingDataStore {
        MigratingDataStore(
            from: LMDBDataStore(at: url.appending(path: "old")),
            to: LevelDBDataStore(at: url.appending(path: "new")),
            recordedIn: url.appending(path: "migration.json"))
    }
}
