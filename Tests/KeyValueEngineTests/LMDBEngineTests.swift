import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistRecords
import Testing

/// What is particular to LMDB: its files, its limits and its processes.
@Suite struct LMDBEngineTests {
    private let temporary: TemporaryDirectory
    private let files = FileManager.default

    init() throws { temporary = try TemporaryDirectory() }

    private func code(_ body: () throws -> Void) -> DataStoreError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? DataStoreError)?.code
        }
    }

    /// A slot of the reader table that one thread has finished with serves another.
    @Test func oneReaderSlotServesAllThreads() throws {
        let engine = LMDBEngine(
            at: temporary.place("store"), configuration: LMDBConfiguration(maximumReaders: 1))
        try engine.open()
        defer { engine.close() }
        try engine.put([1], [7])
        let results = Locked<[[UInt8]?]>([])
        for _ in 0..<40 {
            let ended = DispatchSemaphore(value: 0)
            Thread {
                let value = try? engine.value([1])
                results.withLock { $0.append(value) }
                ended.signal()
            }.start()
            ended.wait()
        }
        #expect(results.withLock { $0 } == Array(repeating: [7], count: 40))
    }

    // MARK: Opening

    @Test func filesArePrivate() throws {
        let url = temporary.place("store")
        let engine = LMDBEngine(at: url)
        try engine.open()
        defer { engine.close() }
        try engine.put([1], [1])
        #expect(try TemporaryDirectory.permissions(of: url) == 0o700)
        #expect(try Set(files.contentsOfDirectory(atPath: url.path)) == ["data.mdb", "lock.mdb"])
        for name in ["data.mdb", "lock.mdb"] {
            #expect(try TemporaryDirectory.permissions(of: url.appending(path: name)) == 0o600)
        }
        #expect(try files.contentsOfDirectory(atPath: temporary.url.path) == ["store"])
    }

    @Test func storeOpensOnceInAProcess() throws {
        let url = temporary.place("store")
        let engine = LMDBEngine(at: url)
        try engine.open()
        let link = temporary.place("link")
        try files.createSymbolicLink(at: link, withDestinationURL: url)
        let twin = temporary.place("twin")
        try files.createDirectory(at: twin, withIntermediateDirectories: false)
        try files.linkItem(
            at: url.appending(path: "data.mdb"), to: twin.appending(path: "data.mdb"))
        let alias = URL(filePath: "\(url.path)/../store")
        for other in [url, link, twin, alias] {
            #expect(code { try LMDBEngine(at: other).open() } == .alreadyOpen, "\(other)")
            #expect(code { try LMDBEngine(at: other).destroy() } == .alreadyOpen, "\(other)")
        }
        #expect(code { try engine.open() } == .alreadyOpen)
        try engine.put([1], [1])

        engine.close()
        let second = LMDBEngine(at: link)
        try second.open()
        defer { second.close() }
        #expect(try second.value([1]) == [1])
    }

    @Test func releasedEngineGivesUpItsFiles() throws {
        let url = temporary.place("store")
        var engine: LMDBEngine? = LMDBEngine(at: url)
        try engine?.open()
        try engine?.put([1], [1])
        engine = nil
        let second = LMDBEngine(at: url)
        try second.open()
        defer { second.close() }
        #expect(try second.value([1]) == [1])
    }

    @Test func whatIsNotAStoreIsLeftUntouched() throws {
        let url = temporary.place("store")
        try files.createDirectory(at: url, withIntermediateDirectories: false)
        let data = url.appending(path: "data.mdb")
        let contents = [Data("not a store".utf8), Data(repeating: 0xAB, count: 100_000)]
        for content in contents {
            try content.write(to: data)
            #expect(code { try LMDBEngine(at: url).open() } == .notAStore)
            #expect(try Data(contentsOf: data) == content)
            #expect(try files.contentsOfDirectory(atPath: url.path) == ["data.mdb"])
        }
        try files.moveItem(at: data, to: url.appending(path: "letter.txt"))
        #expect(code { try LMDBEngine(at: url).open() } == .notAStore)
        #expect(try files.contentsOfDirectory(atPath: url.path) == ["letter.txt"])
    }

    @Test func missingStoreIsNotMadeUnlessAsked() {
        let url = temporary.place("store")
        for configuration in [
            LMDBConfiguration(createsIfMissing: false), LMDBConfiguration(isReadOnly: true),
        ] {
            let engine = LMDBEngine(at: url, configuration: configuration)
            #expect(code { try engine.open() } == .storeNotFound)
        }
        #expect(!files.fileExists(atPath: url.path))
    }

    @Test func senselessConfigurationIsRefused() {
        let url = temporary.place("store")
        for configuration in [
            LMDBConfiguration(maximumSize: 0), LMDBConfiguration(maximumSize: .min),
            LMDBConfiguration(maximumReaders: 0), LMDBConfiguration(maximumReaders: .max),
        ] {
            let engine = LMDBEngine(at: url, configuration: configuration)
            #expect(code { try engine.open() } == .invalidRequest)
        }
        #expect(!files.fileExists(atPath: url.path))
    }

    @Test func readOnlyEngineReadsAndRefusesToWrite() throws {
        let url = temporary.place("store")
        let engine = LMDBEngine(at: url)
        try engine.open()
        try engine.put([1], [1])
        engine.close()

        let before = try Data(contentsOf: url.appending(path: "data.mdb"))
        let reader = LMDBEngine(at: url, configuration: .init(isReadOnly: true))
        #expect(reader.traits.isReadOnly)
        try reader.open()
        #expect(try reader.value([1]) == [1])
        #expect(code { try reader.put([2], [2]) } == .readOnly)
        #expect(try reader.pairs() == [Pair([1], [1])])
        reader.close()
        #expect(code { try reader.destroy() } == .readOnly)
        #expect(try Data(contentsOf: url.appending(path: "data.mdb")) == before)
    }

    @Test(.enabled(if: geteuid() != 0, "root may read and write everything"))
    func storeThatCannotBeWrittenIsReadWithoutLocks() throws {
        let url = temporary.place("store")
        let engine = LMDBEngine(at: url)
        try engine.open()
        try engine.put([1], [1])
        engine.close()
        try files.removeItem(at: url.appending(path: "lock.mdb"))
        try files.setAttributes([.posixPermissions: 0o500], ofItemAtPath: url.path)
        defer { try? files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: url.path) }

        #expect(code { try engine.open() } == .accessDenied)
        let reader = LMDBEngine(at: url, configuration: .init(isReadOnly: true))
        for _ in 0..<2 {
            try reader.open()
            #expect(try reader.value([1]) == [1])
            #expect(try reader.pairs() == [Pair([1], [1])])
            reader.close()
        }
        #expect(try files.contentsOfDirectory(atPath: url.path) == ["data.mdb"])
    }

    @Test func everyDurabilityWorks() throws {
        for durability in Durability.allCases {
            let url = temporary.place(durability.rawValue)
            let engine = LMDBEngine(at: url, configuration: .init(durability: durability))
            #expect(engine.traits.durability == durability)
            try engine.open()
            try engine.put([1], [1])
            engine.close()
            try engine.open()
            #expect(try engine.value([1]) == [1])
            engine.close()
        }
    }

    // MARK: Limits

    @Test func badKeysAreRefusedAndHarmless() throws {
        let engine = LMDBEngine(at: temporary.place("store"))
        try engine.open()
        defer { engine.close() }
        try engine.write { writer throws in
            try writer.put([1], [1])
            for key in [[], [UInt8](repeating: 1, count: 512)] {
                #expect(code { try writer.put(key, [1]) } == .limitExceeded)
                #expect(try !writer.delete(key))
                #expect(try writer.value(key) == nil)
            }
        }
        #expect(try engine.pairs() == [Pair([1], [1])])
    }

    @Test func fullStoreKeepsItsDataAndCanDelete() throws {
        let engine = LMDBEngine(
            at: temporary.place("store"), configuration: .init(maximumSize: 1 << 20))
        try engine.open()
        defer { engine.close() }
        // One block fills it nearly, so there are no free pages to delete with but those kept back.
        let value = [UInt8](repeating: 7, count: 1500)
        try engine.write { writer throws in
            for byte in 0..<200 as Range<UInt8> { try writer.put([byte], value) }
        }
        var count = 200
        while count < 1000 {
            let key = [UInt8(count >> 8), UInt8(count & 0xFF)]
            guard let failure = code({ try engine.put(key, value) }) else {
                count += 1
                continue
            }
            #expect(failure == .storageFull)
            break
        }
        #expect(count < 1000)
        #expect(try engine.pairs().count == count)

        // A block that swallows the error fails all the same, and changes nothing.
        let swallowed = code {
            try engine.write { writer throws in
                for byte in 0..<250 as Range<UInt8> {
                    try? writer.put([byte, 1, 1], value + value)
                }
            }
        }
        #expect(swallowed == .storageFull)
        #expect(try engine.pairs().count == count)

        for byte in 0..<200 as Range<UInt8> {
            try engine.write { writer throws in #expect(try writer.delete([byte])) }
        }
        #expect(try engine.pairs().count == count - 200)
        for byte in 0..<150 as Range<UInt8> { try engine.put([byte], value) }
        #expect(try engine.pairs().count == count - 50)
    }

    @Test func tooManyReadersAreRefused() throws {
        let engine = LMDBEngine(
            at: temporary.place("store"), configuration: .init(maximumReaders: 3))
        try engine.open()
        defer { engine.close() }
        try engine.put([1], [1])
        func nest(_ depth: Int) throws {
            try engine.read { reader throws in
                #expect(try reader.value([1]) == [1])
                if depth > 1 { try nest(depth - 1) }
            }
        }
        try nest(3)
        #expect(code { try nest(4) } == .limitExceeded)
        try nest(3)
    }

    @Test func abandonedSpaceIsUsedAgain() throws {
        let url = temporary.place("store")
        let engine = LMDBEngine(at: url)
        try engine.open()
        defer { engine.close() }
        let value = [UInt8](repeating: 7, count: 10_000)
        for round in 0..<200 as Range<UInt8> {
            for key in 0..<5 as Range<UInt8> { try engine.put([key], value + [round]) }
            // Reads between writes must not hold old pages back.
            _ = try engine.pairs()
        }
        let attributes = try files.attributesOfItem(
            atPath: url.appending(path: "data.mdb").path)
        let size = try #require(attributes[.size] as? NSNumber).intValue
        #expect(size < 500_000)
    }
}
