import Foundation
import JustPersist
import JustPersistRecords
import Testing

/// What every engine must do beyond the checks `engine/*` of the kit, through the protocol only.
@Suite struct KeyValueEngineContractTests {
    private let temporary: TemporaryDirectory

    init() throws { temporary = try TemporaryDirectory() }

    private func open(_ engineCase: EngineCase) throws -> any KeyValueEngine {
        let engine = engineCase.engine(at: temporary.place("store"))
        try engine.open()
        return engine
    }

    // MARK: Values

    @Test(arguments: EngineCase.allCases)
    func keysOfAllLengthsAreKept(_ engineCase: EngineCase) throws {
        let engine = try open(engineCase)
        defer { engine.close() }
        let limit = engine.traits.maximumKeyLength
        #expect(limit >= 480)
        let keys = [1, 2, 255, 256, 480, limit].map { [UInt8](repeating: 7, count: $0) }
        try engine.write { writer throws in
            for key in keys.shuffled() { try writer.put(key, [UInt8(key.count & 0xFF)]) }
        }
        // Each begins the next, so they are in the order of their lengths.
        #expect(try engine.pairs().map(\.key) == keys)
        for key in keys { #expect(try engine.value(key) == [UInt8(key.count & 0xFF)]) }
        #expect(try engine.value([UInt8](repeating: 7, count: limit + 1)) == nil)
        let long = KeyRange(from: [UInt8](repeating: 7, count: limit + 1), upTo: nil)
        #expect(try engine.pairs(long).isEmpty)
    }

    @Test(arguments: EngineCase.allCases)
    func largeValuesComeBackWhole(_ engineCase: EngineCase) throws {
        let engine = try open(engineCase)
        defer { engine.close() }
        let pattern: [UInt8] = (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        let large = [[UInt8]](repeating: pattern, count: 2048).flatMap(\.self)
        try engine.put([1], large)
        try engine.put([2], [2])
        var isEqual = false
        try engine.read { reader throws in
            _ = try reader.withValue(forKey: [1].span) { bytes in
                isEqual = bytes.count == large.count
                for index in stride(from: 0, to: min(bytes.count, large.count), by: 509) {
                    isEqual = isEqual && bytes[index] == large[index]
                }
            }
        }
        #expect(isEqual)
        try engine.put([1], [1])
        #expect(try engine.pairs() == [Pair([1], [1]), Pair([2], [2])])
    }

    // MARK: Scans

    @Test(arguments: EngineCase.allCases)
    func emptyStoreScansToNothing(_ engineCase: EngineCase) throws {
        let engine = try open(engineCase)
        defer { engine.close() }
        for reversed in [false, true] {
            #expect(try engine.pairs(.all, reversed: reversed).isEmpty)
            #expect(try engine.pairs(KeyRange(prefix: [1]), reversed: reversed).isEmpty)
        }
    }

    @Test(arguments: EngineCase.allCases, [false, true])
    func scanBodyMayReadOn(_ engineCase: EngineCase, inWriteBlock: Bool) throws {
        let engine = try open(engineCase)
        defer { engine.close() }
        func check(_ reader: any KeyValueReader) throws {
            var visited: [[UInt8]] = []
            try reader.scan(.all, reversed: false) {
                outerKey, outerValue throws(DataStoreError) in
                let key = [UInt8](outerKey)
                let value = try reader.value(key)
                #expect(value == [UInt8](outerValue))
                let inner = try reader.pairs(KeyRange(from: key, upTo: nil), reversed: true)
                #expect(inner.last?.key == key)
                try reader.scan(.all, reversed: true) { _, _ throws(DataStoreError) in
                    _ = try reader.pairs(limit: 1)
                    return .stop
                }
                #expect([UInt8](outerKey) == key)
                visited.append(key)
                return .next
            }
            #expect(visited == (0..<20).map { [$0] })
        }
        try engine.write { writer throws in
            for byte in 0..<20 as Range<UInt8> { try writer.put([byte], [byte, byte]) }
            if inWriteBlock { try check(writer) }
        }
        if !inWriteBlock { try engine.read { try check($0) } }
    }

    // MARK: Transactions

    /// More than go into one piece of the default.
    @Test(arguments: EngineCase.allCases)
    func rangesOfManyKeysAreDeleted(_ engineCase: EngineCase) throws {
        let engine = try open(engineCase)
        defer { engine.close() }
        func key(_ number: Int) -> [UInt8] { [UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF), 7] }
        try engine.write { writer in
            for number in 0..<20_000 { try writer.put(key(number), [1, 2, 3]) }
        }
        try engine.write { writer in
            try #expect(writer.deleteAll(in: KeyRange(from: key(100), upTo: key(15_000))) == 14_900)
            try #expect(writer.deleteAll(in: KeyRange(from: key(100), upTo: key(15_000))) == 0)
            try writer.put(key(5000), [4])
        }
        let rest = try engine.pairs().map(\.key)
        #expect(rest == (0..<100).map(key) + [key(5000)] + (15_000..<20_000).map(key))
        try engine.write { try #expect($0.deleteAll(in: .all) == rest.count) }
        try #expect(engine.pairs().isEmpty)
    }

    @Test(arguments: EngineCase.allCases)
    func writeInsideReadDoesNotMoveTheSnapshot(_ engineCase: EngineCase) throws {
        let engine = try open(engineCase)
        defer { engine.close() }
        try engine.put([1], [1])
        try engine.read { reader throws in
            try engine.put([1], [2])
            try engine.put([2], [2])
            #expect(try reader.pairs() == [Pair([1], [1])])
            #expect(try engine.pairs() == [Pair([1], [2]), Pair([2], [2])])
        }
    }

    @Test(arguments: EngineCase.allCases)
    func oneEngineOpensAgainAndAgain(_ engineCase: EngineCase) throws {
        let engine = try open(engineCase)
        try engine.put([1], [1])
        engine.close()
        engine.close()
        #expect(throws: DataStoreError.self) { try engine.read { _ in } }
        #expect(throws: DataStoreError.self) { try engine.write { _ in } }
        try engine.open()
        #expect(try engine.value([1]) == (engine.traits.isPersistent ? [1] : nil))
        engine.close()
    }

    // MARK: Threads

    @Test(arguments: EngineCase.allCases)
    func readersSeeWholeCommitsWhileAWriterRuns(_ engineCase: EngineCase) throws {
        let engine = try open(engineCase)
        defer { engine.close() }
        let commits: UInt8 = 60
        let isDone = Locked(false)
        let tornReads = Locked<[String]>([])
        @Sendable func fill(_ number: UInt8) throws {
            try engine.write { writer throws in
                for byte in 0..<50 as Range<UInt8> { try writer.put([byte], [number]) }
            }
        }
        try fill(0)
        onThreads(5) { thread in
            do {
                if thread == 0 {
                    defer { isDone.withLock { $0 = true } }
                    for number in 1...commits { try fill(number) }
                    return
                }
                var last: UInt8 = 0
                while !isDone.withLock(\.self) {
                    try engine.read { reader throws in
                        let first = try reader.pairs()
                        let second = try reader.pairs()
                        let values = Set(first.map(\.value))
                        let isWhole = first.count == 50 && values.count == 1 && first == second
                        let number = values.first?.first ?? 0
                        if !isWhole || number < last {
                            tornReads.withLock { $0.append("\(values) after \(last)") }
                        }
                        last = number
                    }
                }
            } catch {
                tornReads.withLock { $0.append("\(error)") }
            }
        }
        #expect(tornReads.withLock(\.self) == [])
        #expect(try engine.value([0]) == [commits])
    }

    @Test(arguments: EngineCase.allCases)
    func hundredsOfReadersRunAtOnce(_ engineCase: EngineCase) throws {
        let engine = try open(engineCase)
        defer { engine.close() }
        try engine.put([1], [1])
        let readers = 300
        let inside = Locked(0)
        let everybodyIn = DispatchSemaphore(value: 0)
        let failures = Locked<[String]>([])
        onThreads(readers) { _ in
            do {
                try engine.read { reader throws in
                    let count = inside.withLock { count in
                        count += 1
                        return count
                    }
                    if count == readers { for _ in 0..<readers { everybodyIn.signal() } }
                    if everybodyIn.wait(timeout: .now() + 60) == .timedOut {
                        failures.withLock { $0.append("only \(count) readers at once") }
                    }
                    if try reader.value([1]) != [1] { failures.withLock { $0.append("no value") } }
                }
            } catch {
                failures.withLock { $0.append("\(error)") }
                everybodyIn.signal()
            }
        }
        #expect(failures.withLock(\.self) == [])
    }

    /// Runs `body` on that many threads at once, and waits for all.
    private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        let group = DispatchGroup()
        for number in 0..<count {
            group.enter()
            let thread = Thread {
                body(number)
                group.leave()
            }
            thread.stackSize = 1 << 19
            thread.start()
        }
        group.wait()
    }
}
