import Foundation
import JustPersist
import JustPersistConformance
import Testing

@testable import JustPersistImportExport

/// Files packed with gzip and Zstandard.
@Suite struct CompressionTests {
    private let directory: TemporaryDirectory
    private let store: any DataStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try memoryStore()
        try store.fill(
            (0..<600).map { ["n": .int($0), "s": .string("text \($0 &* 7919) of some length")] })
    }

    private func packed(_ name: String) throws -> [UInt8] {
        let file = directory.url.appending(path: "packed-" + name)
        try ItemExport(DataStoreRequest(itemTypeKey: "T")).run(
            from: store, to: file, replacing: true)
        return Array(try Data(contentsOf: file))
    }

    private func imported(
        _ bytes: [UInt8], _ name: String, format: ItemImport.Format = .automatic,
        chunkSize: Int = 500
    ) throws -> [[String: DataStoreValue]] {
        let target = try memoryStore()
        try ItemImport(itemType: "T", format: format, chunkSize: chunkSize).run(
            directory.file(name, bytes), into: target)
        return try target.rows()
    }

    @Test(arguments: ["r.jsonl.gz", "r.jsonl.zst"], [1, 1000, 1 << 20])
    func whatIsPackedIsUnpacked(_ name: String, _ chunkSize: Int) throws {
        let bytes = try packed(name)
        let rows = try store.rows()
        #expect(bytes.count < 20_000)
        #expect(try imported(bytes, name, chunkSize: chunkSize) == rows)
        // Several concatenated streams are one.
        #expect(try imported(bytes + bytes, name, chunkSize: chunkSize) == rows + rows)
        // The content identifies the compression if the name does not.
        #expect(try imported(bytes, "r.jsonl", chunkSize: chunkSize) == rows)
    }

    /// A file is read twice where that is needed, packed or not.
    @Test(arguments: ["gz", "zst"])
    func packedFilesAreReadTwice(_ ending: String) throws {
        let rows = try store.rows()
        #expect(try imported(packed("r.csv.\(ending)"), "r.csv.\(ending)") == rows)
        let nested = #"{"x":[1],"rows":[{"a":1},{"a":2}],"y":2}"#
        let compressor = try #require(Compression(fileName: "." + ending)).makeCompressor()
        let bytes = try compressor.compress(Array(nested.utf8), isLast: true)
        #expect(
            try imported(bytes, "n.json.\(ending)", format: .json(member: "rows"), chunkSize: 3)
                == [["a": .int(1)], ["a": .int(2)]])
        #expect(
            try imported(packed("r.json.\(ending)"), "r.json.\(ending)", format: .json()) == rows)
    }

    @Test(arguments: ["r.jsonl.gz", "r.jsonl.zst"])
    func damageIsToldAndNothingIsWrong(_ name: String) throws {
        var generator = SeededGenerator(seed: .random(in: 0 ... .max))
        let bytes = try packed(name)
        let rows = try store.rows()
        for _ in 0..<60 {
            var damaged = bytes
            let place = generator.int(in: 0..<bytes.count)
            if generator.bool() {
                damaged.removeSubrange(place...)
            } else {
                damaged[place] ^= UInt8(1 << generator.int(in: 0..<8))
            }
            do {
                let imported = try imported(damaged, name)
                // Some bits of the header are not used.
                #expect(imported == rows, "seed \(generator.seed)")
            } catch let error as DataStoreError {
                #expect(error.code == .invalidInput, "seed \(generator.seed): \(error)")
                #expect(error.message.contains(name))
            }
        }
        let cut = #expect(throws: DataStoreError.self) {
            try imported(Array(bytes.dropLast()), name)
        }
        #expect(cut?.message.contains("ends in the middle") == true)
        let tail = #expect(throws: DataStoreError.self) { try imported(bytes + [1, 2, 3], name) }
        #expect(tail?.message.contains("cannot be unpacked") == true)
    }

    @Test(arguments: ["r.jsonl.gz", "r.jsonl.zst"])
    func aNameThatIsWrongIsTold(_ name: String) throws {
        for text in ["", "{\"a\":1}"] {
            let error = #expect(throws: DataStoreError.self) {
                try imported(Array(text.utf8), name)
            }
            #expect(error?.message.contains("is not packed with") == true)
        }
    }
}
