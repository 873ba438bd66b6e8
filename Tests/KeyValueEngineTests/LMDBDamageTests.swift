import Foundation
import JustPersist
import JustPersistConformance
import JustPersistLMDB
import JustPersistRecords
import Testing

/// Files that were cut off or overwritten: an error, never the end of the process.
@Suite struct LMDBDamageTests {
    private let temporary: TemporaryDirectory

    init() throws { temporary = try TemporaryDirectory() }

    private func makeStore(_ name: String) throws -> URL {
        let url = temporary.place(name)
        let engine = LMDBEngine(at: url)
        try engine.open()
        defer { engine.close() }
        for round in 0..<20 as Range<UInt8> {
            try engine.write { writer throws in
                for byte in 0..<100 as Range<UInt8> {
                    try writer.put([byte, round], [UInt8](repeating: byte, count: 200))
                }
                try writer.put([0xFF, round], [UInt8](repeating: round, count: 30_000))
            }
        }
        return url.appending(path: "data.mdb")
    }

    /// Opens the store and reads all of it; returns the failure.
    private func openingFails(_ file: URL) -> DataStoreError.Code? {
        let engine = LMDBEngine(at: file.deletingLastPathComponent())
        do {
            try engine.open()
            defer { engine.close() }
            _ = try engine.pairs()
            return nil
        } catch {
            return (error as? DataStoreError)?.code
        }
    }

    @Test func cutOffFileIsReportedAndLeftUntouched() throws {
        let file = try makeStore("store")
        let whole = try Data(contentsOf: file)
        #expect(openingFails(file) == nil)
        for size in [0, 1, 100, 4096, 8191, 8192, 12_288, whole.count / 2, whole.count - 4096] {
            let cut = whole.prefix(size)
            try cut.write(to: file)
            let code = openingFails(file)
            #expect(code == (1..<24 ~= size ? .notAStore : .corrupted), "cut at \(size)")
            #expect(try Data(contentsOf: file) == cut)
        }
        try whole.write(to: file)
        #expect(openingFails(file) == nil)
    }

    @Test func missingFreePagesAtTheEndAreLegal() throws {
        let url = temporary.place("store")
        let engine = LMDBEngine(at: url)
        try engine.open()
        try engine.put([1], [1])
        // The last pages of the file are one value; deleted, they are free.
        try engine.put([2], [UInt8](repeating: 2, count: 400_000))
        try engine.write { writer throws in #expect(try writer.delete([2])) }
        try engine.put([3], [3])
        try engine.put([4], [4])
        engine.close()
        let file = url.appending(path: "data.mdb")
        let whole = try Data(contentsOf: file)
        var shortest = whole.count
        while shortest > 8192 {
            try whole.prefix(shortest - 4096).write(to: file)
            guard openingFails(file) == nil else { break }
            shortest -= 4096
        }
        #expect(shortest < whole.count)

        try whole.prefix(shortest).write(to: file)
        try engine.open()
        defer { engine.close() }
        let large = [UInt8](repeating: 5, count: 400_000)
        try engine.put([5], large)
        #expect(try engine.value([5]) == large)
        #expect(try engine.pairs().map(\.key) == [[1], [3], [4], [5]])
    }

    /// Hostile bytes in what is read before LMDB is let near the file, and in what the walk reads.
    @Test func cutOffFileWithWildBytesIsAnError() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let file = try makeStore("store")
        // Cut to the last page but a few, so that the walk meets the pages before it gives up.
        let whole = try Data(contentsOf: file)
        let cut = whole.prefix(whole.count - 4096)
        var codes: [DataStoreError.Code: Int] = [:]
        for _ in 0..<300 {
            var wild = cut
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                // The pages after the first two; those say how long the file should be.
                let place = Int.random(in: 8192..<wild.count, using: &random)
                wild[place] = .random(in: 0...255, using: &random)
            }
            try wild.write(to: file)
            let code = openingFails(file)
            codes[code ?? .recovered, default: 0] += 1
        }
        #expect(codes == [.corrupted: 300], "seed \(seed)")
    }

    @Test func wildFirstPagesAreAnError() throws {
        let file = try makeStore("store")
        let whole = try Data(contentsOf: file)
        // Offsets of a meta page's fields: flags, version, page size.
        let changes: [(offset: Int, bytes: [UInt8], code: DataStoreError.Code)] = [
            (10, [0, 0], .corrupted), (16, [0], .notAStore), (20, [9], .notAStore),
            (40, [0, 0, 0, 0], .corrupted), (40, [1, 0, 0, 0], .corrupted),
            (40, [0xFF, 0xFF, 0xFF, 0xFF], .corrupted), (4096 + 16, [0], .corrupted),
            (4096 + 40, [0, 0x20, 0, 0], .corrupted),
        ]
        for change in changes {
            var wild = whole
            wild.replaceSubrange(
                change.offset..<change.offset + change.bytes.count, with: change.bytes)
            try wild.write(to: file)
            #expect(openingFails(file) == change.code, "offset \(change.offset)")
        }
    }

    /// They were said to be another program's, although the pages of the items were intact.
    @Test func overwrittenFirstPagesAreSaidToBePerhapsDamaged() throws {
        let file = try makeStore("store")
        let whole = try Data(contentsOf: file)
        for (length, byte) in [(4096, 0), (8192, 0), (4096, 0xA7), (8192, 0xA7)] as [(Int, UInt8)] {
            let damaged = Data(repeating: byte, count: length) + whole.dropFirst(length)
            try damaged.write(to: file)
            let error = #expect(throws: DataStoreError.self) {
                try LMDBEngine(at: file.deletingLastPathComponent()).open()
            }
            #expect(error?.code == .notAStore)
            for words in ["first pages are damaged, or", "a backup", "repair STORE --into"] {
                #expect(error?.message.contains(words) == true, "\(words)")
            }
            #expect(try Data(contentsOf: file) == damaged)
        }
    }

    // MARK: The walk over the pages

    /// What verify demands of a file holds for every file that LMDB writes.
    @Test func filesThatLMDBWritesHaveNoDamage() throws {
        let seed = UInt64.random(in: .min ... .max)
        print("seed: \(seed)")
        var random = SeededGenerator(seed: seed)
        let engine = LMDBEngine(at: temporary.place("store"))
        try engine.open()
        defer { engine.close() }
        #expect(try engine.verify().isEmpty)
        func check() throws {
            let damages = try engine.verify()
            #expect(damages.isEmpty, "seed \(seed): \(damages.first?.message ?? "")")
        }
        func someKey() -> [UInt8] {
            let length = Bool.random(using: &random) ? 21 : Int.random(in: 1...500, using: &random)
            return [.random(in: 0...9, using: &random), .random(in: 0...60, using: &random)]
                + [UInt8](repeating: 7, count: length)
        }
        for round in 0..<60 {
            try engine.write { writer throws in
                for _ in 0..<Int.random(in: 1...60, using: &random) {
                    if Int.random(in: 0..<3, using: &random) == 0 || round.isMultiple(of: 10) {
                        for _ in 0..<8 { _ = try writer.delete(someKey()) }
                    } else {
                        let isLarge = Int.random(in: 0..<8, using: &random) == 0
                        let size = Int.random(in: 0...(isLarge ? 40_000 : 900), using: &random)
                        try writer.put(someKey(), [UInt8](repeating: UInt8(round), count: size))
                    }
                }
            }
            if round.isMultiple(of: 7) {
                try engine.read { reader throws in
                    // The pages of this snapshot are not free yet.
                    try engine.put([1, 2, 3], [UInt8(round)])
                    try engine.put([1, 2, 3], [UInt8(round), 1])
                    try check()
                    _ = try reader.pairs()
                }
            }
            if round.isMultiple(of: 5) { try check() }
            if round.isMultiple(of: 20) {
                engine.close()
                try engine.open()
                try check()
            }
        }
    }

    @Test func wildBytesInPagesAreFoundOrHarmlessToVerify() throws {
        let seed = UInt64.random(in: .min ... .max)
        print("seed: \(seed)")
        var random = SeededGenerator(seed: seed)
        let file = try makeStore("store")
        let whole = try Data(contentsOf: file)
        let engine = LMDBEngine(at: file.deletingLastPathComponent())
        try engine.open()
        defer { engine.close() }
        // Written beneath the open engine, so that LMDB itself need not open it.
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        var found = 0
        for _ in 0..<200 {
            var wild = whole
            let page = Int.random(in: 2..<whole.count / 4096, using: &random) * 4096
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                wild[page + Int.random(in: 0..<64, using: &random)] = .random(
                    in: 0...255, using: &random)
            }
            try handle.seek(toOffset: 0)
            try handle.write(contentsOf: wild)
            if try !engine.verify().isEmpty { found += 1 }
        }
        try handle.seek(toOffset: 0)
        try handle.write(contentsOf: whole)
        #expect(try engine.verify().isEmpty)
        #expect(found > 0, "seed \(seed)")
    }
}
