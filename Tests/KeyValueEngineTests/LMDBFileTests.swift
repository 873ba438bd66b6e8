import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistRecords
import Testing

/// Files of an LMDB store that are of another kind, emptied, deleted or replaced.
@Suite struct LMDBFileTests {
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

    private func makeStore(_ name: String) throws -> URL {
        let url = temporary.place(name)
        let engine = LMDBEngine(at: url)
        try engine.open()
        try engine.put([1], [1])
        engine.close()
        return url
    }

    // MARK: Kinds of files

    @Test(arguments: ["data.mdb", "lock.mdb"])
    func whatIsNoRegularFileIsRefusedAtOnce(_ name: String) throws {
        let url = try makeStore("store")
        let file = url.appending(path: name)
        let elsewhere = temporary.place("elsewhere")
        try files.moveItem(at: file, to: elsewhere)
        let kinds: [(String, () throws -> Void)] = [
            ("pipe", { #expect(unsafe mkfifo(file.path, 0o600) == 0) }),
            ("link", { try files.createSymbolicLink(at: file, withDestinationURL: elsewhere) }),
            (
                "directory",
                {
                    try files.createDirectory(at: file, withIntermediateDirectories: false)
                }
            ),
        ]
        for (kind, make) in kinds {
            try make()
            for configuration in [LMDBConfiguration(), LMDBConfiguration(isReadOnly: true)] {
                let failure = code { try LMDBEngine(at: url, configuration: configuration).open() }
                #expect(failure == .notAStore, "\(kind)")
            }
            try files.removeItem(at: file)
        }
        try files.moveItem(at: elsewhere, to: file)
        let engine = LMDBEngine(at: url)
        try engine.open()
        defer { engine.close() }
        #expect(try engine.value([1]) == [1])
    }

    // MARK: A store is never created where one was

    @Test func emptiedFileIsNotTakenForANewStore() throws {
        let url = try makeStore("store")
        let file = url.appending(path: "data.mdb")
        for withLock in [true, false] {
            try Data().write(to: file)
            if !withLock { try files.removeItem(at: url.appending(path: "lock.mdb")) }
            #expect(code { try LMDBEngine(at: url).open() } == .corrupted)
            #expect(try Data(contentsOf: file).isEmpty)
        }
    }

    @Test func lockFileWithoutItsDataIsNotTakenForANewStore() throws {
        let url = try makeStore("store")
        try files.removeItem(at: url.appending(path: "data.mdb"))
        #expect(code { try LMDBEngine(at: url).open() } == .corrupted)
        #expect(try files.contentsOfDirectory(atPath: url.path) == ["lock.mdb"])
        // To start again, the store must be destroyed.
        try LMDBEngine(at: url).destroy()
        let engine = LMDBEngine(at: url)
        try engine.open()
        defer { engine.close() }
        #expect(try engine.pairs().isEmpty)
    }

    // MARK: Deleted or replaced while it is open

    @Test func deletedStoreTakesNoWrites() throws {
        let url = try makeStore("store")
        let engine = LMDBEngine(at: url)
        try engine.open()
        defer { engine.close() }
        try files.removeItem(at: url)
        #expect(code { try engine.put([2], [2]) } == .storeDeleted)
        #expect(code { _ = try engine.pairs() } == .storeDeleted)
        #expect(!files.fileExists(atPath: url.path))
    }

    @Test func replacedStoreTakesNoWrites() throws {
        let url = try makeStore("store")
        let engine = LMDBEngine(at: url)
        try engine.open()
        defer { engine.close() }
        let other = try makeStore("other")
        let file = url.appending(path: "data.mdb")
        let own = temporary.place("own")
        try files.moveItem(at: file, to: own)
        try files.moveItem(at: other.appending(path: "data.mdb"), to: file)
        let before = try Data(contentsOf: file)
        #expect(code { try engine.put([2], [2]) } == .storeDeleted)
        #expect(try Data(contentsOf: file) == before)
        try files.removeItem(at: file)
        #expect(code { try engine.put([2], [2]) } == .storeDeleted)
        // Back in its place it is the store again.
        try files.moveItem(at: own, to: file)
        try engine.put([2], [2])
        #expect(try engine.pairs().count == 2)
    }

    @Test func storeDeletedDuringAWriteBlockIsAnError() throws {
        let url = try makeStore("store")
        let engine = LMDBEngine(at: url)
        try engine.open()
        defer { engine.close() }
        let failure = code {
            try engine.write { writer throws in
                try writer.put([2], [2])
                try files.removeItem(at: url)
            }
        }
        #expect(failure == .storeDeleted)
    }

    @Test func storeMadeAnewByAnotherProcessTakesNoWritesOfTheOldOne() async throws {
        let url = try makeStore("store")
        let engine = LMDBEngine(at: url)
        try engine.open()
        defer { engine.close() }
        await #expect(processExitsWith: .success) { [path = url.path as String] in
            let engine = LMDBEngine(at: URL(filePath: path))
            try engine.destroy()
            try engine.open()
            try engine.put([7], [7])
            engine.close()
        }
        #expect(code { try engine.put([2], [2]) } == .storeDeleted)
        engine.close()
        try engine.open()
        #expect(try engine.pairs() == [Pair([7], [7])])
    }

    // MARK: Processes

    @Test func deadReadersDoNotRefuseNewOpeners() async throws {
        let url = temporary.place("store")
        let engine = LMDBEngine(at: url, configuration: .init(maximumReaders: 4))
        try engine.open()
        defer { engine.close() }
        try engine.put([1], [1])
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = url.path as String] in
            let engine = LMDBEngine(at: URL(filePath: path))
            try engine.open()
            // One inside the other, until none is left.
            func fill() throws {
                try engine.read { _ throws in
                    do { try fill() } catch { kill(getpid(), SIGKILL) }
                }
            }
            try fill()
        }
        await #expect(processExitsWith: .success) { [path = url.path as String] in
            let engine = LMDBEngine(at: URL(filePath: path))
            try engine.open()
            #expect(try engine.value([1]) == [1])
            engine.close()
        }
    }

    #if os(Linux)
        @Test func forkedChildCommitsNothingAndLeavesItsParentUnharmed() async throws {
            let url = temporary.place("store")
            await #expect(processExitsWith: .success) { [path = url.path as String] in
                let engine = LMDBEngine(at: URL(filePath: path))
                try engine.open()
                try engine.put([1], [1])
                var child: pid_t = -1
                var childFailure: DataStoreError?
                func run() throws {
                    try engine.read { reader throws in
                        try engine.write { writer throws in
                            try writer.put([2], [2])
                            child = Foundation.fork()
                            if child == 0 {
                                _ = try? writer.put([3], [3])
                                return
                            }
                            var status: Int32 = 0
                            unsafe waitpid(child, &status, 0)
                            #expect(status == 0)
                            try writer.put([4], [4])
                        }
                        if child == 0 { return }
                        // The child has not given the snapshot of this block up.
                        for round in 0..<30 as Range<UInt8> {
                            try engine.put([1], [UInt8](repeating: round, count: 20_000))
                        }
                        #expect(try reader.pairs() == [Pair([1], [1])])
                    }
                }
                do { try run() } catch { childFailure = error as? DataStoreError }
                if child == 0 {
                    engine.close()
                    _exit(childFailure?.code == .notSetUp ? 0 : 1)
                }
                #expect(childFailure == nil)
                #expect(try engine.pairs().map(\.key) == [[1], [2], [4]])
                engine.close()
                try engine.open()
                #expect(try engine.pairs().map(\.key) == [[1], [2], [4]])
                engine.close()
            }
        }

        /// The check of the file after the commit failed, and the block was reported as refused.
        @Test func committedBlockIsNotReportedAsRefused() async throws {
            let url = temporary.place("store")
            await #expect(processExitsWith: .success) { [path = url.path as String] in
                let engine = LMDBEngine(at: URL(filePath: path))
                try engine.open()
                for number in 1...4 as ClosedRange<UInt8> {
                    let failing = try FailingSystemCalls(
                        "newfstatat:error=EIO:when=\(number)",
                        at: URL(filePath: path).appending(path: "data.mdb"))
                    let isRefused = (try? engine.put([number], [number])) == nil
                    failing.end()
                    #expect(try engine.value([number]) == (isRefused ? nil : [number]))
                }
                engine.close()
            }
        }

        @Test func lookAtTheFileThatFailsIsNoErrorOfLMDB() async throws {
            let url = temporary.place("store")
            await #expect(processExitsWith: .success) { [path = url.path as String] in
                let engine = LMDBEngine(at: URL(filePath: path))
                try engine.open()
                let failing = try FailingSystemCalls(
                    "newfstatat:error=EIO", at: URL(filePath: path).appending(path: "data.mdb"))
                let error = #expect(throws: DataStoreError.self) { try engine.put([1], [1]) }
                failing.end()
                #expect(error?.code == .storageFailure)
                #expect(error?.engine?.name == "file system")
                try engine.put([1], [1])
                engine.close()
            }
        }

        /// What the open file is was not learned, and each write was refused as one to a deleted store.
        @Test func storeThatWasOpenedTakesWrites() async throws {
            let url = temporary.place("store")
            await #expect(processExitsWith: .success) { [path = url.path as String] in
                let file = URL(filePath: path).appending(path: "data.mdb")
                let engine = LMDBEngine(at: URL(filePath: path))
                try engine.open()
                engine.close()
                var failures = 0
                for number in 1...6 as ClosedRange<UInt8> {
                    let failing = try FailingSystemCalls(
                        "fstat,newfstatat:error=EIO:when=\(number)", at: file)
                    var isOpen = false
                    do throws(DataStoreError) {
                        try engine.open()
                        isOpen = true
                    } catch {
                        failures += 1
                        #expect(error.code == .storageFailure)
                    }
                    failing.end()
                    if !isOpen { try engine.open() }
                    try engine.put([number], [number])
                    engine.close()
                }
                #expect(failures > 0)
            }
        }

        /// A directory that could not be listed was taken for one without a store.
        @Test func destroyThatCouldNotListTheDirectorySaysSo() async throws {
            let url = temporary.place("store")
            await #expect(processExitsWith: .success) { [path = url.path as String] in
                let url = URL(filePath: path)
                let files = FileManager.default
                let engine = LMDBEngine(at: url)
                var failures = 0
                for number in 1...8 {
                    try engine.open()
                    engine.close()
                    try files.removeItem(at: url.appending(path: "data.mdb"))
                    try Data().write(to: url.appending(path: "new-1.mdb"))
                    let failing = try FailingSystemCalls(
                        "getdents64:error=EIO:when=\(number)", at: url)
                    do throws(DataStoreError) {
                        try engine.destroy()
                        #expect((try? files.contentsOfDirectory(atPath: path)) == [])
                    } catch {
                        failures += 1
                        #expect(error.code == .storageFailure, "\(number)")
                    }
                    failing.end()
                    try engine.destroy()
                    #expect(try files.contentsOfDirectory(atPath: path) == [])
                }
                #expect(failures > 0)
            }
        }

        @Test func failedWriteOfAMetaPageIsOverWhenNoBlockRuns() async throws {
            let url = temporary.place("store")
            await #expect(processExitsWith: .success) { [path = url.path as String] in
                let engine = LMDBEngine(at: URL(filePath: path))
                try engine.open()
                try engine.put([1], [1])
                try FailingMetaPages.fail()
                try engine.read { _ throws in
                    #expect(throws: DataStoreError.self) { try engine.put([2], [2]) }
                    // This block keeps the environment open, and a new one says what to do.
                    let error = #expect(throws: DataStoreError.self) { try engine.put([3], [3]) }
                    #expect(error?.code == .storageFailure)
                    #expect(error?.message.contains("block") == true)
                }
                try engine.put([4], [4])
                #expect(try engine.pairs().map(\.key) == [[1], [4]])
                engine.close()
                try engine.open()
                #expect(try engine.pairs().map(\.key) == [[1], [4]])
                engine.close()
            }
        }
    #endif
}
