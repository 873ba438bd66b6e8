import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistRecords
import Testing

/// LMDB stores across processes: the child of each test is another process of this program.
@Suite struct LMDBProcessTests {
    private let temporary: TemporaryDirectory

    init() throws { temporary = try TemporaryDirectory() }

    @Test func twoProcessesShareAStore() async throws {
        let path = temporary.place("store").path
        let engine = LMDBEngine(at: URL(filePath: path))
        try engine.open()
        defer { engine.close() }
        try engine.put([1], [1])
        await #expect(processExitsWith: .success) { [path = path as String] in
            let engine = LMDBEngine(at: URL(filePath: path))
            try engine.open()
            #expect(try engine.value([1]) == [1])
            try engine.put([1], [2])
            try engine.put([2], [2])
            engine.close()
        }
        #expect(try engine.pairs() == [Pair([1], [2]), Pair([2], [2])])
        try engine.put([3], [3])
        #expect(try engine.pairs().count == 3)
    }

    @Test func snapshotStandsWhileAnotherProcessWrites() async throws {
        let path = temporary.place("store").path
        let engine = LMDBEngine(at: URL(filePath: path))
        try engine.open()
        defer { engine.close() }
        try engine.put([1], [UInt8](repeating: 1, count: 20_000))
        let reading = Reading()
        reading.begin(engine)
        await #expect(processExitsWith: .success) { [path = path as String] in
            let engine = LMDBEngine(at: URL(filePath: path))
            try engine.open()
            // Enough commits to use every page again that no reader holds.
            for round in 0..<50 as Range<UInt8> {
                try engine.put([1], [UInt8](repeating: round, count: 20_000))
            }
            engine.close()
        }
        #expect(try reading.end() == [Pair([1], [UInt8](repeating: 1, count: 20_000))])
        #expect(try engine.value([1])?.first == 49)
    }

    @Test func processKilledInsideABlockLosesOnlyThatBlock() async throws {
        let path = temporary.place("store").path
        let engine = LMDBEngine(at: URL(filePath: path))
        try engine.open()
        defer { engine.close() }
        for round in 1...3 as ClosedRange<UInt8> {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, round = round as UInt8] in
                let engine = LMDBEngine(at: URL(filePath: path))
                try engine.open()
                try engine.put([round], [round])
                try engine.write { writer throws in
                    try writer.put([100 + round], [round])
                    _ = try writer.delete([round])
                    try engine.read { _ in kill(getpid(), SIGKILL) }
                }
            }
            // The lock of the dead writer, and the slot of the dead reader, are free again.
            try engine.put([50 + round], [round])
        }
        #expect(try engine.pairs().map(\.key) == [[1], [2], [3], [51], [52], [53]])
    }

    @Test func processKilledWhileMakingAStoreLeavesOneThatOpens() async throws {
        let path = temporary.place("store").path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let engine = LMDBEngine(at: URL(filePath: path))
            try engine.open()
            kill(getpid(), SIGKILL)
        }
        // The file gets its name when it is complete, and the lock file is created after it.
        let store = URL(filePath: path)
        try FileManager.default.removeItem(at: store.appending(path: "lock.mdb"))
        try FileManager.default.moveItem(
            at: store.appending(path: "data.mdb"), to: store.appending(path: "new-1.mdb"))
        try Data().write(to: store.appending(path: "new-2.mdb"))
        let engine = LMDBEngine(at: URL(filePath: path))
        try engine.open()
        defer { engine.close() }
        try engine.put([1], [1])
        #expect(try engine.value([1]) == [1])
        #expect(
            try Set(FileManager.default.contentsOfDirectory(atPath: path))
                == ["data.mdb", "lock.mdb"])
    }

    @Test func largerStoreOfAnotherProcessIsReadAllTheSame() async throws {
        let path = temporary.place("store").path
        let engine = LMDBEngine(
            at: URL(filePath: path), configuration: .init(maximumSize: 1 << 20))
        try engine.open()
        defer { engine.close() }
        try engine.put([1], [1])
        await #expect(processExitsWith: .success) { [path = path as String] in
            let engine = LMDBEngine(at: URL(filePath: path))
            try engine.open()
            for key in 2..<12 as Range<UInt8> {
                try engine.put([key], [UInt8](repeating: key, count: 400_000))
            }
            engine.close()
        }
        #expect(try engine.pairs().map(\.key) == (1..<12).map { [$0] })
        // It is beyond this engine's maximum size, so only deleting is left.
        let failure = #expect(throws: DataStoreError.self) {
            try engine.put([20], [UInt8](repeating: 1, count: 400_000))
        }
        #expect(failure?.code == .storageFull)
        try engine.write { writer throws in #expect(try writer.delete([2])) }
        #expect(try engine.pairs().count == 10)
    }

    @Test func storeThatCouldNotBeOpenedAnewIsTriedAgain() async throws {
        let url = temporary.place("store")
        let engine = LMDBEngine(at: url, configuration: .init(maximumSize: 1 << 20))
        try engine.open()
        defer { engine.close() }
        try engine.put([1], [1])
        await #expect(processExitsWith: .success) { [path = url.path as String] in
            let engine = LMDBEngine(at: URL(filePath: path))
            try engine.open()
            for key in 2..<12 as Range<UInt8> {
                try engine.put([key], [UInt8](repeating: key, count: 400_000))
            }
            engine.close()
        }
        // The file has outgrown the space reserved for it, and cannot be opened for the moment.
        let away = temporary.place("away")
        try FileManager.default.moveItem(at: url, to: away)
        for _ in 0..<2 {
            let failures = [
                #expect(throws: DataStoreError.self) { try engine.pairs() },
                #expect(throws: DataStoreError.self) { try engine.put([1], [2]) },
            ]
            for failure in failures { #expect(failure?.code == .storeDeleted) }
        }
        try FileManager.default.moveItem(at: away, to: url)
        #expect(try engine.pairs().map(\.key) == (1..<12).map { [$0] })
        try engine.write { writer throws in #expect(try writer.delete([2])) }
        #expect(try engine.pairs().count == 10)
    }

    #if os(Linux)
        @Test(.enabled(if: addressSpaceCanBeLimited, "a sanitizer needs all address space"))
        func littleAddressSpaceIsEnoughAtFirstAndGrows() async throws {
            let path = temporary.place("store").path
            await #expect(processExitsWith: .success) { [path = path as String] in
                try limitAddressSpace(toMore: 2 << 30)
                let engine = LMDBEngine(at: URL(filePath: path))
                try engine.open()
                // Past the first 64 MiB, block by block.
                let value = [UInt8](repeating: 7, count: 10 << 20)
                for key in 0..<15 as Range<UInt8> { try engine.put([key], value) }
                var count = 0
                try engine.read { reader in
                    try reader.scan(.all, reversed: false) { _, value in
                        count += value.count
                        return .next
                    }
                }
                #expect(count == 150 << 20)
                engine.close()
            }
        }

        @Test(.enabled(if: addressSpaceCanBeLimited, "a sanitizer needs all address space"))
        func exhaustedAddressSpaceIsAFullStore() async throws {
            let path = temporary.place("store").path
            await #expect(processExitsWith: .success) { [path = path as String] in
                try limitAddressSpace(toMore: 400 << 20)
                let engine = LMDBEngine(at: URL(filePath: path))
                try engine.open()
                let value = [UInt8](repeating: 7, count: 5 << 20)
                var count: UInt8 = 0
                var failure: DataStoreError?
                while failure == nil, count < 60 {
                    do {
                        try engine.put([count], value)
                        count += 1
                    } catch {
                        failure = error as? DataStoreError
                    }
                }
                #expect(failure?.code == .storageFull)
                for key in 0..<count {
                    try engine.write { writer throws in #expect(try writer.delete([key])) }
                    try engine.put([key, key], [key])
                }
                #expect(try engine.pairs().count == Int(count))
                engine.close()
            }
        }
    #endif
}

#if os(Linux)
    /// How many bytes this process has mapped.
    private func addressSpaceInUse() throws -> Int {
        let status = try String(contentsOf: URL(filePath: "/proc/self/statm"), encoding: .utf8)
        let pages = try #require(status.split(separator: " ").first.flatMap { Int($0) })
        return pages * 4096
    }

    private var addressSpaceCanBeLimited: Bool {
        ((try? addressSpaceInUse()) ?? .max) < 1 << 40
    }

    /// Lets this process map only so many bytes more than it has.
    private func limitAddressSpace(toMore bytes: Int) throws {
        let limit = try addressSpaceInUse() + bytes
        let command = try Process.run(
            URL(filePath: "/usr/bin/prlimit"),
            arguments: ["--pid", "\(getpid())", "--as=\(limit):\(limit)"])
        command.waitUntilExit()
        #expect(command.terminationStatus == 0)
    }
#endif

/// A read block on its own thread, which lasts until it is ended.
private final class Reading: Sendable {
    private let begun = DispatchSemaphore(value: 0)
    private let mayEnd = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let result = Locked<Result<[Pair], any Error>>(.success([]))

    func begin(_ engine: any KeyValueEngine) {
        Thread {
            do {
                try engine.read { reader in
                    self.begun.signal()
                    self.mayEnd.wait()
                    let pairs = try reader.pairs()
                    self.result.withLock { $0 = .success(pairs) }
                }
            } catch {
                self.result.withLock { $0 = .failure(error) }
            }
            self.ended.signal()
        }.start()
        begun.wait()
    }

    func end() throws -> [Pair] {
        mayEnd.signal()
        ended.wait()
        return try result.withLock(\.self).get()
    }
}
