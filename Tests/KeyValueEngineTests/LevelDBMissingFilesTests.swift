import Foundation
import JustPersist
import JustPersistLevelDB
import JustPersistRecords
import Testing

/// Files that are not there, or that the system does not show: LevelDB takes them for files that never were.
@Suite struct LevelDBMissingFilesTests {
    private let temporary: TemporaryDirectory
    private let url: URL
    private let files = FileManager.default

    init() throws {
        temporary = try TemporaryDirectory()
        url = temporary.place("store")
    }

    private func names() throws -> [String] {
        try files.contentsOfDirectory(atPath: url.path).sorted()
    }

    private func place(_ ending: String) throws -> URL {
        url.appending(path: try #require(names().last { $0.hasSuffix(ending) }))
    }

    /// A closed store with its commits in a log, each exactly one block of it.
    @discardableResult
    private func makeStore(commits: Range<UInt8> = 0..<6) throws -> LevelDBEngine {
        let engine = LevelDBEngine(at: url)
        try engine.open()
        for number in commits { try engine.put([number % 4], Self.value(number)) }
        engine.close()
        return engine
    }

    private static let blockSize = 32 << 10

    private static func value(_ number: UInt8) -> [UInt8] {
        // Beside it: header of the record 7, of the batch 12, key and lengths 6, number of the commit 32.
        [UInt8](repeating: number, count: blockSize - 57)
    }

    private static func expectAll(_ engine: LevelDBEngine, commits: Int = 6) throws {
        let expected = (0..<4).map { key in
            let last = UInt8((0..<commits).last { $0 % 4 == key } ?? 0)
            return Pair([UInt8(key)], value(last))
        }
        let found = try engine.pairs()
        #expect(found.map(\.key) == expected.map(\.key))
        #expect(found.map(\.value.first) == expected.map(\.value.first))
    }

    private func expectRefusedUntouched(_ engine: LevelDBEngine, naming text: String) throws {
        let before = try names()
        for _ in 0..<2 {
            let error = #expect(throws: DataStoreError.self) { try engine.open() }
            #expect(error?.code == .corrupted)
            #expect(error?.message.contains(text) == true)
            engine.close()
            #expect(try names() == before)
        }
    }

    // MARK: What is missing

    /// The last commit was looked for in the newest log, and a compaction had put it into a table.
    @Test func aStoreThatWasCompactedAndClosedOpensAgain() throws {
        let engine = LevelDBEngine(at: url)
        try engine.open()
        for key in 0..<10 as Range<UInt8> { try engine.put([key], [key]) }
        _ = try engine.compact(MaintenanceMeter { _ in })
        engine.close()
        try engine.open()
        #expect(try engine.pairs().count == 10)
        engine.close()
    }

    @Test func missingLogIsNoEmptyOne() throws {
        let engine = try makeStore()
        let log = try place(".log")
        try files.moveItem(at: log, to: temporary.place("log"))
        try expectRefusedUntouched(engine, naming: log.lastPathComponent)
        try files.moveItem(at: temporary.place("log"), to: log)
        try engine.open()
        defer { engine.close() }
        try Self.expectAll(engine)
    }

    @Test func missingTableIsNamed() throws {
        let engine = try makeStore()
        try engine.open()
        engine.close()
        let table = try place(".ldb")
        try files.moveItem(at: table, to: temporary.place("table"))
        try expectRefusedUntouched(engine, naming: "table")
        try files.moveItem(at: temporary.place("table"), to: table)
        try engine.open()
        defer { engine.close() }
        try Self.expectAll(engine)
    }

    /// Unless the store was closed in order, its last writes may never have happened.
    @Test(arguments: [0, 1, 3 * blockSize, 6 * blockSize - 20])
    func logOfAClosedStoreThatWasCutIsRefused(keeping count: Int) throws {
        let engine = try makeStore()
        let log = try place(".log")
        let sound = try Data(contentsOf: log)
        #expect(sound.count == 6 * Self.blockSize)
        try sound.prefix(count).write(to: log)
        try expectRefusedUntouched(engine, naming: "commit 6")
        #expect(try Data(contentsOf: log).count == count)
        try (sound.prefix(count) + Data(count: sound.count - count)).write(to: log)
        try expectRefusedUntouched(engine, naming: "commit 6")
        try sound.write(to: log)
        try engine.open()
        defer { engine.close() }
        try Self.expectAll(engine)
    }

    @Test func closingSaysNothingAboutALaterCrash() throws {
        let engine = try makeStore()
        try engine.open()
        try engine.put([9], [9])
        try engine.put([10], [10])
        try temporary.crash(at: url) { engine.close() }
        let log = try place(".log")
        try Data(contentsOf: log).dropLast(10).write(to: log)
        try engine.open()
        defer { engine.close() }
        #expect(try engine.value([9]) == [9])
        #expect(try engine.value([10]) == nil)
    }

    /// LevelDB ignores the data after a record whose length is damaged, and would delete those tables.
    @Test func noDamageToTheManifestHidesTables() throws {
        let engine = try makeStore()
        try engine.open()
        engine.close()
        let manifest = url.appending(
            path: try #require(names().first { $0.hasPrefix("MANIFEST-") }))
        let sound = try Data(contentsOf: manifest)
        let before = try names().filter { !$0.hasPrefix("LOG") }
        for index in sound.indices {
            var bytes = sound
            bytes[index] ^= 0xFF
            try bytes.write(to: manifest)
            let error = #expect(throws: DataStoreError.self, "byte \(index)") { try engine.open() }
            #expect(error?.code == .corrupted, "byte \(index)")
            #expect(try names().filter { !$0.hasPrefix("LOG") } == before, "byte \(index)")
            engine.close()
        }
        try sound.write(to: manifest)
        try engine.open()
        defer { engine.close() }
        try Self.expectAll(engine)
    }

    // MARK: Logs that were kept

    /// As an opening leaves it that ends before LevelDB was asked.
    @Test func logThatWasSetAsideIsRead() throws {
        let engine = try makeStore()
        let log = try place(".log")
        try files.moveItem(at: log, to: log.appendingPathExtension("kept"))
        try engine.open()
        try Self.expectAll(engine)
        engine.close()
        #expect(try !names().contains { $0.hasSuffix(".kept") })
        try engine.open()
        defer { engine.close() }
        try Self.expectAll(engine)
    }

    @Test func keptLogDoesNotBringOldValuesBack() throws {
        let engine = try makeStore()
        let log = try place(".log")
        let kept = log.appendingPathExtension("kept")
        try files.copyItem(at: log, to: temporary.place("log"))
        try engine.open()
        for key in 0..<4 as Range<UInt8> { try engine.put([key], [77]) }
        engine.close()
        try files.copyItem(at: temporary.place("log"), to: kept)
        for _ in 0..<2 {
            try engine.open()
            #expect(try engine.pairs() == (0..<4).map { Pair([$0], [77]) })
            #expect(try !names().contains { $0.hasSuffix(".kept") })
            engine.close()
        }
    }

    /// A crash while LevelDB sorts a full log into a table leaves two.
    private func splitLog() throws {
        let log = try place(".log")
        let bytes = try Data(contentsOf: log)
        try bytes.dropFirst(3 * Self.blockSize)
            .write(to: url.appending(path: "000009.log"))
        try bytes.prefix(3 * Self.blockSize).write(to: log)
    }

    @Test func twoLogsAreReadInOrder() throws {
        let engine = try makeStore()
        try splitLog()
        for _ in 0..<2 {
            try engine.open()
            try Self.expectAll(engine)
            #expect(engine.recoveryReport == nil)
            engine.close()
        }
        #expect(try !names().contains { $0.hasSuffix(".kept") })
        try engine.destroy()
        #expect(!files.fileExists(atPath: url.path))
    }

    /// LevelDB renames CURRENT when it opens a database, and begins a new log.
    ///
    /// Btrfs may keep a commit in that log, and not the new name: then the manifest from before is in force, and
    /// LevelDB gives the numbers that it had given since once more. The new log was taken for the one that was kept
    /// under its number, which was removed.
    @Test func commitsAfterARenameOfCurrentThatWasLostAreRead() throws {
        let engine = LevelDBEngine(at: url)
        try engine.open()
        try engine.put([0], [10])
        let (before, after) = (temporary.place("before"), temporary.place("after"))
        try files.copyItem(at: url, to: before)
        engine.close()
        try files.copyItem(at: before, to: after)
        let second = LevelDBEngine(at: after)
        try second.open()
        try second.put([1], [11])
        let cut = temporary.place("cut")
        try files.copyItem(at: after, to: cut)
        second.close()
        for name in try files.contentsOfDirectory(atPath: before.path)
        where name == "CURRENT" || name.hasPrefix("MANIFEST") || name.hasSuffix(".log") {
            try? files.removeItem(at: cut.appending(path: name))
            try files.copyItem(at: before.appending(path: name), to: cut.appending(path: name))
        }
        let third = LevelDBEngine(at: cut)
        for _ in 0..<2 {
            try third.open()
            #expect(try third.pairs() == [Pair([0], [10]), Pair([1], [11])])
            third.close()
        }
    }

    @Test func destroyRemovesKeptLogs() throws {
        let engine = try makeStore()
        try Data("x".utf8).write(to: url.appending(path: "000001.log.kept"))
        try engine.destroy()
        #expect(!files.fileExists(atPath: url.path))
    }

    /// It was read at each opening, for ever.
    @Test func keptLogWithoutCommitsIsRemoved() throws {
        let engine = try makeStore()
        for bytes in [Data(), Data("x".utf8)] {
            try bytes.write(to: url.appending(path: "000001.log.kept"))
            try engine.open()
            try Self.expectAll(engine)
            engine.close()
            #expect(try !names().contains { $0.hasSuffix(".kept") })
        }
    }

    // MARK: What the system does not show

    #if os(Linux)
        /// LevelDB takes every failure of `access` for “missing”.
        @Test(arguments: ["EIO", "EACCES", "ENOENT"])
        func storeIsNotMadeWhereTheSystemDoesNotShowOne(_ error: String) async throws {
            let engine = try makeStore()
            try engine.open()
            engine.close()
            await #expect(processExitsWith: .success) {
                [path = url.path as String, error = error as String] in
                let url = URL(filePath: path)
                let marker = url.appending(path: "CURRENT")
                let engine = LevelDBEngine(at: url)
                var failing = try FailingSystemCalls("/access:error=\(error)", at: marker)
                var thrown = #expect(throws: DataStoreError.self) { try engine.open() }
                #expect(thrown?.code == .storageFailure)
                failing.end()
                try engine.open()
                try Self.expectAll(engine)

                // Nor when it is opened again after a failed write.
                FullDisk.begin(limit: 16)
                #expect(throws: DataStoreError.self) { try engine.put([1], [1]) }
                FullDisk.end()
                failing = try FailingSystemCalls("/access:error=\(error)", at: marker)
                thrown = #expect(throws: DataStoreError.self) { try engine.put([1], [1]) }
                #expect(thrown?.code == .storageFailure)
                failing.end()
                try Self.expectAll(engine)
                try engine.put([0], Self.value(4))
                try Self.expectAll(engine)
                engine.close()
                try engine.open()
                try Self.expectAll(engine)
                engine.close()
            }
        }

        /// LevelDB took a directory that it could not list for an empty one, and said that all was deleted.
        @Test func destroyThatCouldNotListTheDirectorySaysSo() async throws {
            let original = temporary.place("original")
            try makeStore()
            try files.copyItem(at: url, to: original)
            await #expect(processExitsWith: .success) {
                [path = url.path as String, original = original.path as String] in
                let url = URL(filePath: path)
                let files = FileManager.default
                let names = try files.contentsOfDirectory(atPath: original)
                let rules =
                    (1...8).map { (url, "getdents64:error=EIO:when=\($0)") }
                    + names.map { (url.appending(path: $0), "unlink,unlinkat:error=EIO") }
                var failures = 0
                for (place, rule) in rules {
                    try? files.removeItem(at: url)
                    try files.copyItem(at: URL(filePath: original), to: url)
                    let failing = try FailingSystemCalls(rule, at: place)
                    do throws(DataStoreError) {
                        try LevelDBEngine(at: url).destroy()
                        #expect(!files.fileExists(atPath: path), "\(rule)")
                    } catch {
                        failures += 1
                        #expect(error.code == .storageFailure, "\(rule)")
                    }
                    failing.end()
                    try LevelDBEngine(at: url).destroy()
                    #expect(!files.fileExists(atPath: path), "\(place.lastPathComponent): \(rule)")
                }
                #expect(failures > names.count)
            }
        }

        /// LevelDB opened the store without its log, and then deleted that.
        @Test(arguments: [false, true])
        func logOutlivesADirectoryThatCannotBeRead(isSplit: Bool) async throws {
            try makeStore()
            if isSplit { try splitLog() }
            let original = temporary.place("original")
            try files.copyItem(at: url, to: original)
            await #expect(processExitsWith: .success) {
                [path = url.path as String, original = original.path as String] in
                let url = URL(filePath: path)
                let engine = LevelDBEngine(at: url)
                var failures = 0
                for rule in (1...12).map({ ":when=\($0)" }) + [":when=3+", ":when=5+", ""] {
                    try FileManager.default.removeItem(at: url)
                    try FileManager.default.copyItem(at: URL(filePath: original), to: url)
                    let failing = try FailingSystemCalls("getdents64:error=EIO\(rule)", at: url)
                    do throws(DataStoreError) {
                        try engine.open()
                        try? Self.expectAll(engine)
                        engine.close()
                    } catch {
                        failures += 1
                        #expect(error.code == .storageFailure, "\(rule)")
                    }
                    failing.end()
                    try engine.open()
                    try Self.expectAll(engine)
                    engine.close()
                }
                #expect(failures > 1)
            }
        }
    #endif
}
