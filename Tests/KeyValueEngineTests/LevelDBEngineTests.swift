import Foundation
import JustPersist
import JustPersistRecords
import Testing

@testable import JustPersistLevelDB

@Suite struct LevelDBEngineTests {
    private let temporary: TemporaryDirectory
    private let url: URL

    init() throws {
        temporary = try TemporaryDirectory()
        url = temporary.place("store")
    }

    private func code(_ body: () throws -> Void) -> DataStoreError.Code? {
        #expect(throws: DataStoreError.self, performing: body)?.code
    }

    // MARK: Opening

    @Test func secondOpeningIsRefusedHoweverThePathIsSpelled() async throws {
        let engine = LevelDBEngine(at: url)
        try engine.open()
        defer { engine.close() }
        let link = temporary.place("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
        let alias = url.appending(path: "..").appending(path: "store")
        for path in [url, link, alias] {
            #expect(code { try LevelDBEngine(at: path).open() } == .alreadyOpen)
            #expect(code { try LevelDBEngine(at: path).destroy() } == .alreadyOpen)
        }
        // The refused attempts must not have cost the first one its lock.
        await expectLockedForOthers()
        try engine.put([1], [1])
        #expect(try engine.value([1]) == [1])
    }

    @Test func anotherProcessIsRefusedUntilTheStoreIsClosed() async throws {
        let engine = LevelDBEngine(at: url)
        try engine.open()
        try engine.put([1], [1])
        await expectLockedForOthers()
        engine.close()
        await #expect(processExitsWith: .success) { [path = url.path as String] in
            let engine = LevelDBEngine(at: URL(filePath: path))
            try engine.open()
            let value = try engine.value([1])
            engine.close()
            exit(value == [1] ? 0 : 1)
        }
    }

    private func expectLockedForOthers() async {
        await #expect(processExitsWith: .success) { [path = url.path as String] in
            do throws(DataStoreError) {
                try LevelDBEngine(at: URL(filePath: path)).open()
            } catch {
                exit(error.code == .lockedByAnotherProcess ? 0 : 2)
            }
            exit(1)
        }
    }

    @Test func whatIsNotAStoreIsLeftUntouched() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let note = url.appending(path: "notes.txt")
        try Data("mine".utf8).write(to: note)
        #expect(code { try LevelDBEngine(at: url).open() } == .notAStore)
        #expect(code { try LevelDBEngine(at: url).destroy() } == .notAStore)
        #expect(code { try LevelDBEngine(at: note).open() } == .notAStore)
        #expect(try FileManager.default.contentsOfDirectory(atPath: url.path) == ["notes.txt"])
    }

    /// The error said that there is no store, although all its data is there.
    @Test(arguments: [["CURRENT"], ["CURRENT", "000003.log"], ["CURRENT", "MANIFEST-000002"]])
    func storeWithoutItsMarkerIsDamagedAndNotCreatedAgain(_ lost: [String]) throws {
        let engine = LevelDBEngine(at: url)
        try engine.open()
        try engine.put([1], [1])
        engine.close()
        let files = FileManager.default
        for name in lost { try files.removeItem(at: url.appending(path: name)) }
        let left = try Set(files.contentsOfDirectory(atPath: url.path))
        for isReadOnly in [false, true] {
            let configuration = LevelDBConfiguration(isReadOnly: isReadOnly)
            let error = #expect(throws: DataStoreError.self) {
                try LevelDBEngine(at: url, configuration: configuration).open()
            }
            #expect(error?.code == .corrupted)
            #expect(error?.message.contains("“CURRENT”") == true)
            #expect(error?.message.contains("repair STORE --into") == true)
        }
        #expect(code { try engine.destroy() } == .corrupted)
        #expect(try Set(files.contentsOfDirectory(atPath: url.path)) == left)
    }

    @Test func storeWhoseMakingCrashedCanBeDestroyed() throws {
        let files = FileManager.default
        try files.createDirectory(at: url, withIntermediateDirectories: true)
        let engine = LevelDBEngine(at: url)
        try engine.destroy()
        #expect(files.fileExists(atPath: url.path), "an empty directory is no store")
        for name in ["LOCK", "LOG", "MANIFEST-000001"] {
            try Data().write(to: url.appending(path: name))
        }
        try engine.destroy()
        #expect(!files.fileExists(atPath: url.path))
        try engine.destroy()
    }

    @Test func missingStoreIsNotMadeUnlessAsked() throws {
        for configuration in [
            LevelDBConfiguration(createsIfMissing: false), LevelDBConfiguration(isReadOnly: true),
        ] {
            let engine = LevelDBEngine(at: url, configuration: configuration)
            #expect(code { try engine.open() } == .storeNotFound)
        }
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    @Test func damagedStoreIsRefusedAndKeepsItsFiles() throws {
        let engine = LevelDBEngine(at: url)
        try engine.open()
        try engine.put([1], [1])
        engine.close()
        let before = try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
        let manifest = try #require(before.first { $0.hasPrefix("MANIFEST-") })
        try Data("nonsense".utf8).write(to: url.appending(path: manifest))
        let error = #expect(throws: DataStoreError.self) { try engine.open() }
        #expect(error?.code == .corrupted)
        #expect(error?.engine?.text.hasPrefix("Corruption: ") == true)
        let after = try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
        #expect(before.filter { !$0.hasPrefix("LOG") } == after.filter { !$0.hasPrefix("LOG") })
    }

    @Test func closedEngineRefusesBlocks() throws {
        let engine = LevelDBEngine(at: url)
        #expect(code { try engine.read { _ in } } == .notSetUp)
        #expect(code { try engine.write { _ in } } == .notSetUp)
        try engine.open()
        try engine.open()
        engine.close()
        engine.close()
        #expect(code { try engine.read { _ in } } == .notSetUp)
    }

    @Test func releasedEngineGivesUpItsFiles() throws {
        do {
            let engine = LevelDBEngine(at: url)
            try engine.open()
            try engine.put([1], [1])
        }
        let engine = LevelDBEngine(at: url)
        try engine.open()
        defer { engine.close() }
        #expect(try engine.value([1]) == [1])
    }

    @Test func readOnlyStoreRefusesWrites() throws {
        let writable = LevelDBEngine(at: url)
        try writable.open()
        try writable.put([1], [1])
        writable.close()
        let engine = LevelDBEngine(at: url, configuration: LevelDBConfiguration(isReadOnly: true))
        #expect(engine.traits.isReadOnly)
        try engine.open()
        #expect(code { try engine.put([2], [2]) } == .readOnly)
        #expect(try engine.pairs() == [Pair([1], [1])])
        engine.close()
        #expect(code { try engine.destroy() } == .readOnly)
    }

    @Test func engineOutlivesItsChoiceOfCompression() throws {
        let value = [UInt8](repeating: 7, count: 100_000)
        for compression in LevelDBConfiguration.Compression.allCases {
            let engine = LevelDBEngine(
                at: url,
                configuration: LevelDBConfiguration(
                    durability: .relaxed, writeBufferSize: 64 << 10, compression: compression))
            try engine.open()
            for byte in 0..<10 as Range<UInt8> { try engine.put([byte], value) }
            #expect(try engine.pairs() == (0..<10).map { Pair([$0], value) })
            engine.close()
        }
    }

    // MARK: Files

    @Test func filesAreForTheOwnerAlone() throws {
        let engine = LevelDBEngine(
            at: url,
            configuration: LevelDBConfiguration(durability: .relaxed, writeBufferSize: 64 << 10))
        try engine.open()
        // Enough for LevelDB's own thread to make files.
        for byte in 0..<40 as Range<UInt8> {
            try engine.put([byte], [UInt8](repeating: byte, count: 20_000))
        }
        engine.close()
        let names = try FileManager.default.contentsOfDirectory(atPath: url.path)
        #expect(names.contains { $0.hasSuffix(".ldb") })
        #expect(try TemporaryDirectory.permissions(of: url) == 0o700)
        for name in names {
            let permissions = try TemporaryDirectory.permissions(of: url.appending(path: name))
            #expect(permissions == 0o600, "\(name)")
        }
    }

    @Test func destroyLeavesForeignFilesAlone() throws {
        let engine = LevelDBEngine(at: url)
        try engine.open()
        try engine.put([1], [1])
        engine.close()
        try Data("mine".utf8).write(to: url.appending(path: "notes.txt"))
        try engine.destroy()
        #expect(try FileManager.default.contentsOfDirectory(atPath: url.path) == ["notes.txt"])
    }

    // MARK: Blocks

    @Test func snapshotStandsWhileCommitsAndCompactionsPass() throws {
        let engine = LevelDBEngine(
            at: url,
            configuration: LevelDBConfiguration(durability: .relaxed, writeBufferSize: 64 << 10))
        try engine.open()
        defer { engine.close() }
        let old = (0..<50).map { Pair([$0], [$0, 1]) }
        try engine.write { writer in for pair in old { try writer.put(pair.key, pair.value) } }
        try engine.read { reader in
            for round in 0..<5 as Range<UInt8> {
                try engine.write { writer in
                    for byte in 0..<100 as Range<UInt8> {
                        if byte.isMultiple(of: 3) {
                            _ = try writer.delete([byte])
                        } else {
                            try writer.put([byte], [UInt8](repeating: round, count: 5_000))
                        }
                    }
                }
            }
            #expect(try reader.value([3]) == [3, 1])
            #expect(try reader.value([4]) == [4, 1])
            #expect(try reader.value([60]) == nil)
            var visited: [Pair] = []
            try reader.scan(.all, reversed: true) { (key, value) throws(DataStoreError) in
                let pair = Pair([UInt8](key), [UInt8](value))
                let found = try reader.value(pair.key)
                let before = try reader.pairs(KeyRange(from: [], upTo: pair.key))
                #expect(found == pair.value)
                #expect(before.count == Int(pair.key[0]))
                #expect([UInt8](value) == pair.value)
                visited.append(pair)
                return .next
            }
            #expect(visited == old.reversed())
        }
        #expect(try engine.value([3]) == nil)
    }

    @Test func readerIsOfNoUseAfterItsBlock() throws {
        let engine = LevelDBEngine(at: url)
        try engine.open()
        var kept: (any KeyValueReader)?
        try engine.read { kept = $0 }
        engine.close()
        let reader = try #require(kept)
        #expect(code { _ = try reader.pairs() } == .blockEnded)
        #expect(code { _ = try reader.value([1]) } == .blockEnded)
        try engine.open()
        engine.close()
    }

    @Test func keysOfTheEngineAreHiddenAndRefused() throws {
        let engine = LevelDBEngine(at: url)
        try engine.open()
        defer { engine.close() }
        try engine.put([1], [1])
        let own = CommitRing.prefix + [1]
        #expect(code { try engine.put(own, [1]) } == .unsupported)
        #expect(try engine.value(own) == nil)
        #expect(try engine.pairs() == [Pair([1], [1])])
        #expect(try engine.pairs(.all, reversed: true) == [Pair([1], [1])])
        try engine.put([0xFF], [2])
        #expect(try engine.pairs().count == 2)
    }

    @Test(arguments: [
        "CURRENT", "LOCK", "LOG", "MANIFEST-000007", "000009.log", "000009.log.kept", "000011.ldb",
        "000013.dbtmp", "room.dbtmp", "CLOSED", "CLOSED.new",
    ])
    func whatIsNoRegularFileIsRefusedAtOnce(_ name: String) throws {
        let engine = LevelDBEngine(at: url)
        try engine.open()
        try engine.put([1], [1])
        engine.close()
        let files = FileManager.default
        let file = url.appending(path: name)
        let aside = temporary.place("aside")
        let isThere = files.fileExists(atPath: file.path)
        if isThere { try files.moveItem(at: file, to: aside) }
        #expect(unsafe mkfifo(file.path, 0o600) == 0)
        #expect(code { try engine.open() } == .notAStore)
        try files.removeItem(at: file)
        try files.createSymbolicLink(at: file, withDestinationURL: aside)
        #expect(code { try engine.open() } == .notAStore)
        try files.removeItem(at: file)
        if isThere { try files.moveItem(at: aside, to: file) }
        try engine.open()
        defer { engine.close() }
        #expect(try engine.value([1]) == [1])
    }

    /// The kept log was cut off where its damage began, through the link.
    @Test func linkInThePlaceOfAKeptLogLeadsNobodyOut() throws {
        let engine = LevelDBEngine(at: url)
        try engine.open()
        try engine.put([1], [1])
        engine.close()
        let letter = temporary.place("letter")
        try Data("dear".utf8).write(to: letter)
        let link = url.appending(path: "000001.log.kept")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: letter)
        #expect(code { try engine.open() } == .notAStore)
        #expect(try Data(contentsOf: letter) == Data("dear".utf8))
        try engine.destroy()
        #expect(try Data(contentsOf: letter) == Data("dear".utf8))
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    /// The note at closing was written through the link, and into the pipe, which has no reader.
    @Test func noteAtClosingIsAFileOfItsOwn() throws {
        let engine = LevelDBEngine(at: url)
        let files = FileManager.default
        let letter = temporary.place("letter")
        try Data("dear".utf8).write(to: letter)
        for (number, name) in ["CLOSED.new", "CLOSED"].enumerated() {
            let file = url.appending(path: name)
            for isPipe in [false, true] {
                try engine.open()
                try engine.put([UInt8(number)], [isPipe ? 1 : 0])
                try? files.removeItem(at: file)
                if isPipe {
                    #expect(unsafe mkfifo(file.path, 0o600) == 0)
                } else {
                    try files.createSymbolicLink(at: file, withDestinationURL: letter)
                }
                engine.close()
                #expect(try Data(contentsOf: letter) == Data("dear".utf8))
                let note = url.appending(path: "CLOSED")
                #expect(try String(contentsOf: note, encoding: .utf8).hasPrefix("log "))
                #expect(try TemporaryDirectory.permissions(of: note) == 0o600)
            }
        }
        try engine.open()
        engine.close()
    }

    @Test func destroyFollowsNoLinkInThePlaceOfTheLock() throws {
        let engine = LevelDBEngine(at: url)
        try engine.open()
        engine.close()
        let lock = url.appending(path: "LOCK")
        let elsewhere = temporary.place("elsewhere")
        try FileManager.default.removeItem(at: lock)
        try FileManager.default.createSymbolicLink(at: lock, withDestinationURL: elsewhere)
        #expect(code { try engine.destroy() } == .notAStore)
        #expect(!FileManager.default.fileExists(atPath: elsewhere.path))
        try FileManager.default.removeItem(at: lock)
        try engine.destroy()
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    /// A crash leaves it, and LevelDB does not know it.
    @Test func destroyRemovesTheFileThatAsksForRoom() throws {
        let engine = LevelDBEngine(at: url)
        try engine.open()
        engine.close()
        try Data().write(to: url.appending(path: "room.dbtmp"))
        try engine.destroy()
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    #if os(Linux)
        @Test func forkedChildIsRefused() async {
            await #expect(processExitsWith: .success) { [path = url.path as String] in
                let engine = LevelDBEngine(at: URL(filePath: path))
                try engine.open()
                try engine.put([1], [1])
                let child = Foundation.fork()
                if child == 0 {
                    do {
                        try engine.read { _ in }
                        _exit(1)
                    } catch {
                        engine.close()
                        _exit((error as? DataStoreError)?.code == .notSetUp ? 0 : 2)
                    }
                }
                var status: Int32 = 0
                unsafe waitpid(child, &status, 0)
                let value = try engine.value([1])
                engine.close()
                exit(status == 0 && value == [1] ? 0 : 1)
            }
        }

        /// The child's commit went into the log that the parent was writing to.
        @Test func forkInsideABlockIsNoticedAtItsCommit() async {
            await #expect(processExitsWith: .success) { [path = url.path as String] in
                let engine = LevelDBEngine(at: URL(filePath: path))
                try engine.open()
                var child: pid_t = -1
                do {
                    try engine.write { writer in
                        try writer.put([1], [1])
                        child = Foundation.fork()
                        try writer.put([2], child == 0 ? [2] : [1])
                    }
                    if child == 0 { _exit(1) }
                } catch {
                    _exit((error as? DataStoreError)?.code == .notSetUp && child == 0 ? 0 : 2)
                }
                var status: Int32 = 0
                unsafe waitpid(child, &status, 0)
                #expect(status == 0)
                try engine.put([3], [1])
                engine.close()
                try engine.open()
                #expect(engine.recoveryReport == nil)
                #expect(try engine.pairs() == [1, 2, 3].map { Pair([$0], [1]) })
                engine.close()
            }
        }
    #endif

    // MARK: Errors

    @Test(
        arguments: [
            ("IO error: lock /s/LOCK: already held by process", .alreadyOpen),
            ("IO error: lock /s/LOCK: Resource temporarily unavailable", .lockedByAnotherProcess),
            ("Corruption: bad block contents", .corrupted),
            ("Invalid argument: /s: does not exist (create_if_missing is false)", .storeNotFound),
            ("Invalid argument: x: does not match existing comparator : y", .notAStore),
            ("IO error: /s/000003.log: No space left on device", .storageFull),
            ("IO error: /s/000003.log: Disk quota exceeded", .storageFull),
            ("IO error: /s/000003.log: File too large", .storageFull),
            ("IO error: /s/LOCK: Permission denied", .accessDenied),
            ("IO error: /s/000003.log: Read-only file system", .accessDenied),
            ("NotFound: /s/CURRENT: No such file or directory", .storeNotFound),
            ("IO error: /s/000003.log: Input/output error", .storageFailure),
            ("Not implemented: something", .storageFailure),
        ] as [(String, DataStoreError.Code)])
    func textsOfLevelDBBecomeCodes(_ text: String, _ code: DataStoreError.Code) {
        let error = DataStoreError(levelDB: text, in: "open", path: "/s")
        #expect(error.code == code)
        #expect(error.engine == DataStoreError.EngineFailure(name: "LevelDB", text: text))
        #expect(error.message.contains("/s"))
    }
}
