import Foundation
import JustPersist
import JustPersistConformance
import JustPersistRecords
import Testing

@testable import JustPersistLevelDB

/// Damage to the log, as a loss of power or a bad disk leaves it.
@Suite struct LevelDBRecoveryTests {
    private let temporary: TemporaryDirectory
    private let url: URL

    init() throws {
        temporary = try TemporaryDirectory()
        url = temporary.place("store")
    }

    private func engine(
        _ durability: Durability = .full, readOnly: Bool = false
    ) -> LevelDBEngine {
        LevelDBEngine(
            at: url,
            configuration: LevelDBConfiguration(durability: durability, isReadOnly: readOnly))
    }

    /// A store with `count` commits in its log, each of one pair with a value of `size` bytes, as a crash
    /// of its process leaves it.
    private func makeStore(commits count: UInt8, size: Int = 100) throws -> [Pair] {
        let engine = engine()
        try engine.open()
        defer { try? temporary.crash(at: url) { engine.close() } }
        let pairs = (0..<count).map { Pair([$0], [UInt8](repeating: $0 | 1, count: size)) }
        for pair in pairs { try engine.put(pair.key, pair.value) }
        return pairs
    }

    private func logURL() throws -> URL {
        let names = try FileManager.default.contentsOfDirectory(atPath: url.path)
        let log = try #require(names.filter { $0.hasSuffix(".log") }.max())
        return url.appending(path: log)
    }

    private func changeLog(_ change: (inout [UInt8]) -> Void) throws {
        let log = try logURL()
        var bytes = [UInt8](try Data(contentsOf: log))
        change(&bytes)
        try Data(bytes).write(to: log)
    }

    private func copies() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url.path)
            .filter { $0.hasPrefix("damaged-") }
    }

    @Test func soundStoreNeedsNoRecovery() throws {
        let pairs = try makeStore(commits: 200)
        let engine = engine()
        try engine.open()
        defer { engine.close() }
        #expect(engine.recoveryReport == nil)
        #expect(try engine.pairs() == pairs)
    }

    @Test func zeroedEndIsCutOffAndReported() throws {
        let pairs = try makeStore(commits: 50)
        try changeLog { log in
            for index in (log.count - 60)..<log.count { log[index] = 0 }
        }
        let damaged = try Data(contentsOf: logURL())
        let name = try logURL().lastPathComponent
        let engine = engine()
        try engine.open()
        #expect(engine.recoveryReport?.code == .recovered)
        #expect(try engine.pairs() == pairs.dropLast())

        let copy = try #require(copies().first)
        let directory = url.appending(path: copy)
        #expect(engine.recoveryReport?.message.contains(copy) == true)
        #expect(try Data(contentsOf: directory.appending(path: name)) == damaged)
        #expect(try TemporaryDirectory.permissions(of: directory) == 0o700)
        for file in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            let place = directory.appending(path: file)
            #expect(try TemporaryDirectory.permissions(of: place) == 0o600, "\(file)")
        }

        try engine.put([99], [99])
        engine.close()
        #expect(engine.recoveryReport == nil)
        try engine.open()
        #expect(engine.recoveryReport == nil)
        #expect(try engine.pairs() == pairs.dropLast() + [Pair([99], [99])])
        #expect(try copies() == [copy])
        engine.close()
        try engine.destroy()
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    /// A pipe was waited at.
    @Test func copiesHaveTheFilesOfTheStoreAlone() throws {
        let pairs = try makeStore(commits: 10)
        try changeLog { $0[$0.count - 10] ^= 1 }
        let files = FileManager.default
        let own = try files.contentsOfDirectory(atPath: url.path).filter {
            !["LOCK", "RESERVE"].contains($0)
        }
        #expect(unsafe mkfifo(url.appending(path: "pipe").path, 0o600) == 0)
        try Data().write(to: url.appending(path: "notes.log"))
        let engine = engine()
        try engine.open()
        defer { engine.close() }
        #expect(engine.recoveryReport?.code == .recovered)
        #expect(try engine.pairs() == pairs.dropLast())
        let copy = url.appending(path: try #require(copies().first))
        #expect(try files.contentsOfDirectory(atPath: copy.path).sorted() == own.sorted())
    }

    @Test func destroyRemovesCopiesOnlyIfNoOtherProcessHasTheStore() async throws {
        _ = try makeStore(commits: 10)
        try changeLog { $0[$0.count - 10] ^= 1 }
        let engine = engine()
        try engine.open()
        #expect(try copies().count == 1)
        await #expect(processExitsWith: .success) { [path = url.path as String] in
            do throws(DataStoreError) {
                try LevelDBEngine(at: URL(filePath: path)).destroy()
            } catch {
                exit(error.code == .lockedByAnotherProcess ? 0 : 2)
            }
            exit(1)
        }
        #expect(try copies().count == 1)
        engine.close()
        try engine.destroy()
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    @Test(arguments: [0 as UInt8, 0xAB])
    func remainsBehindTheLastCommitCostNothing(_ filler: UInt8) throws {
        let pairs = try makeStore(commits: 50)
        try changeLog { $0 += [UInt8](repeating: filler, count: 40_000) }
        let engine = engine()
        try engine.open()
        defer { engine.close() }
        #expect(engine.recoveryReport?.code == .recovered)
        #expect(try engine.pairs() == pairs)
    }

    @Test func cutOffEndIsAnUnfinishedWrite() throws {
        let pairs = try makeStore(commits: 50)
        try changeLog { $0.removeLast(30) }
        let engine = engine()
        try engine.open()
        defer { engine.close() }
        #expect(engine.recoveryReport == nil)
        #expect(try engine.pairs() == pairs.dropLast())
    }

    @Test func damageInsideALargeLastWriteCostsThatWriteOnly() throws {
        let pairs = try makeStore(commits: 5)
        let engine = engine()
        try engine.open()
        try engine.put([7], [7])
        try engine.put([9], [UInt8](repeating: 9, count: 200_000))
        try temporary.crash(at: url) { engine.close() }
        try changeLog { log in
            for index in 70_000..<70_100 { log[index] = 0 }
        }
        try engine.open()
        defer { engine.close() }
        #expect(engine.recoveryReport?.code == .recovered)
        #expect(try engine.pairs() == pairs + [Pair([7], [7])])
    }

    /// More commits follow than the ring of numbers holds; LevelDB itself would say nothing.
    @Test(arguments: [false, true])
    func lostMiddleIsRefusedUntouched(zeroed: Bool) throws {
        _ = try makeStore(commits: 200, size: 1_000)
        try changeLog { log in
            for index in (32 << 10)..<(64 << 10) { log[index] = zeroed ? 0 : log[index] ^ 0x55 }
        }
        let before = try Data(contentsOf: logURL())
        let engine = engine()
        for _ in 0..<2 {
            let error = #expect(throws: DataStoreError.self) { try engine.open() }
            #expect(error?.code == .corrupted)
            #expect(try Data(contentsOf: logURL()) == before)
            #expect(try copies() == [])
        }
    }

    /// The log of such a directory used to be cut off, and the error quoted the whole file.
    @Test(arguments: ["some text\n", "", "MANIFEST-000002", "MANIFEST-\n", "MANIFEST-two\n"])
    func filesThatLevelDBDidNotWriteAreRefusedUntouched(_ marker: String) throws {
        _ = try makeStore(commits: 10)
        try changeLog { log in
            for index in (log.count - 60)..<log.count { log[index] = 0 }
        }
        let place = url.appending(path: "CURRENT")
        let sound = try Data(contentsOf: place)
        try Data(marker.utf8).write(to: place)
        let before = try Data(contentsOf: logURL())
        let engine = engine()
        let error = #expect(throws: DataStoreError.self) { try engine.open() }
        #expect(error?.code == .corrupted)
        #expect(error?.message.contains("CURRENT") == true)
        #expect(try Data(contentsOf: logURL()) == before)
        #expect(try copies() == [])

        try sound.write(to: place)
        try engine.open()
        defer { engine.close() }
        #expect(engine.recoveryReport?.code == .recovered)
    }

    @Test func relaxedStoreKeepsWhatCameBeforeTheDamage() throws {
        let pairs = try makeStore(commits: 200, size: 1_000)
        try changeLog { log in
            for index in 40_000..<40_100 { log[index] = 0 }
        }
        let engine = engine(.relaxed)
        try engine.open()
        defer { engine.close() }
        #expect(engine.recoveryReport?.code == .recovered)
        let kept = try engine.pairs()
        #expect(kept == Array(pairs.prefix(kept.count)))
        #expect(35...40 ~= kept.count)
    }

    @Test func readOnlyOpeningRepairsNothing() throws {
        _ = try makeStore(commits: 10)
        try changeLog { $0[$0.count - 10] ^= 1 }
        let before = try Data(contentsOf: logURL())
        let error = #expect(throws: DataStoreError.self) { try engine(readOnly: true).open() }
        #expect(error?.code == .corrupted)
        #expect(try Data(contentsOf: logURL()) == before)
        #expect(try copies() == [])
    }

    @Test func storeInUseIsNotRepaired() async throws {
        _ = try makeStore(commits: 10)
        let engine = engine()
        try engine.open()
        defer { engine.close() }
        try engine.put([50], [50])
        try changeLog { $0[$0.count - 10] ^= 1 }
        await #expect(processExitsWith: .success) { [path = url.path as String] in
            do throws(DataStoreError) {
                try LevelDBEngine(at: URL(filePath: path)).open()
            } catch {
                exit(error.code == .lockedByAnotherProcess ? 0 : 2)
            }
            exit(1)
        }
        #expect(try copies() == [])
    }

    /// Damage is refused, or reported; it never costs more than the write at the end of the log.
    @Test func noDamageToTheLogPassesForData() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let pairs = try makeStore(commits: 100, size: 500)
        let log = try logURL()
        let sound = [UInt8](try Data(contentsOf: log))
        let original = temporary.place("original")
        try FileManager.default.copyItem(at: url, to: original)
        for _ in 0..<60 {
            try FileManager.default.removeItem(at: url)
            try FileManager.default.copyItem(at: original, to: url)
            var bytes = sound
            let start = Int.random(in: 0..<bytes.count, using: &random)
            let length = [1, 8, 700, 33_000].randomElement(using: &random) ?? 1
            let mask = UInt8.random(in: 1...255, using: &random)
            for index in start..<min(start + length, bytes.count) {
                bytes[index] = length == 1 ? bytes[index] ^ mask : 0
            }
            try Data(bytes).write(to: log)
            let engine = engine()
            do throws(DataStoreError) {
                try engine.open()
            } catch {
                #expect(error.code == .corrupted, "seed \(seed)")
                continue
            }
            let found = try engine.pairs()
            let isPrefix = found == Array(pairs.prefix(found.count))
            #expect(isPrefix, "seed \(seed), byte \(start), length \(length)")
            let isComplete = found == pairs
            #expect(isComplete || engine.recoveryReport != nil || start + 600 > bytes.count)
            // Damage after which no intact record follows cannot be distinguished from an unfinished write.
            let isEnd = start + length + 600 >= bytes.count
            #expect(isEnd || found.count >= 99, "seed \(seed), byte \(start), length \(length)")
            engine.close()
        }
    }

    @Test func missingCommitIsDetected() throws {
        _ = try makeStore(commits: 100)
        do {
            let database = try Database(at: url.path, LevelDBConfiguration())
            var changes = OrderedKeyMap<[UInt8]?>()
            changes.setValue([1], forKey: [1].span)
            let batch = try WriteBatch(of: changes)
            // As if the batch of commit 90 had been dropped.
            batch.delete((CommitRing.prefix + [UInt8(90 % CommitRing.slots)]).span)
            try database.commit(batch)
        }
        let error = #expect(throws: DataStoreError.self) { try engine().open() }
        #expect(error?.code == .corrupted)
        #expect(error?.message.contains("commit 90 is missing") == true)
    }

    /// The sync of a commit can fail after its bytes have reached the log.
    @Test func failedCommitThatReachedTheLogIsTakenBack() throws {
        _ = try makeStore(commits: 3, size: 1)
        let configuration = LevelDBConfiguration()
        var changes = OrderedKeyMap<[UInt8]?>()
        changes.setValue([100], forKey: [0].span)
        changes.setValue(nil, forKey: [1].span)
        changes.setValue([100], forKey: [9].span)
        let failed: FailedCommit
        do {
            let database = try Database(at: url.path, configuration)
            failed = try FailedCommit(of: changes, in: database).withOldValues(of: database)
            try database.commit(try WriteBatch(of: changes))
        }
        do {
            let database = try Database(at: url.path, configuration)
            try failed.revert(in: database)
        }
        let engine = engine()
        try engine.open()
        #expect(try engine.pairs() == [Pair([0], [1]), Pair([1], [1]), Pair([2], [3])])

        // What others commit later is not touched.
        try engine.put([0], [50])
        engine.close()
        do {
            let database = try Database(at: url.path, configuration)
            try failed.revert(in: database)
        }
        try engine.open()
        defer { engine.close() }
        #expect(try engine.value([0]) == [50])
    }

    @Test func lossOfSucceededCommitsIsDetected() throws {
        _ = try makeStore(commits: 3)
        let failed: FailedCommit
        do {
            let database = try Database(at: url.path, LevelDBConfiguration())
            try database.commit(try WriteBatch(of: OrderedKeyMap()))
            failed = FailedCommit(of: OrderedKeyMap(), in: database)
        }
        try changeLog { $0.removeLast(30) }
        let database = try Database(at: url.path, LevelDBConfiguration())
        let error = #expect(throws: DataStoreError.self) { try failed.revert(in: database) }
        #expect(error?.code == .corrupted)
    }
}
