import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistRecords
import Testing

/// Numbers in files and their names that are as great as they can be: nothing that is computed of them traps.
@Suite struct GreatFileNumberTests {
    private let temporary: TemporaryDirectory

    init() throws { temporary = try TemporaryDirectory() }

    @Test func namesWithTheGreatestNumbersAreNoFilesOfLevelDB() throws {
        let place = temporary.place("store")
        let engine = LevelDBEngine(at: place)
        try engine.open()
        try engine.put([1], [1])
        engine.close()
        // A kept log is given to LevelDB again, under a number greater than all others.
        let log = try #require(
            FileManager.default.contentsOfDirectory(atPath: place.path).first {
                $0.hasSuffix(".log")
            })
        try FileManager.default.copyItem(
            at: place.appending(path: log), to: place.appending(path: "000099.log.kept"))
        for ending in ["ldb", "sst", "log.kept", "dbtmp"] {
            try Data().write(to: place.appending(path: "\(UInt64.max).\(ending)"))
        }
        try engine.open()
        try #expect(engine.pairs() == [Pair([1], [1])])
        engine.close()
    }

    @Test func metaPagesWithGreatNumbersAreRefused() throws {
        let place = temporary.place("store")
        let engine = LMDBEngine(at: place)
        try engine.open()
        for key in 0..<100 as Range<UInt8> { try engine.put([key], [key]) }
        engine.close()
        let file = place.appending(path: "data.mdb")
        let original = try Data(contentsOf: file)
        for offset in stride(from: 48, through: 144, by: 8) where offset != 88 {
            for number in [UInt64.max - 1, 1 << 63, 1 << 62, 1 << 47] {
                var bytes = [UInt8](original)
                for page in [0, 4096] {
                    for byte in 0..<8 {
                        bytes[page + offset + byte] =
                            UInt8(truncatingIfNeeded: number >> UInt64(8 * byte))
                    }
                }
                try Data(bytes).write(to: file)
                do throws(DataStoreError) {
                    try engine.open()
                    // Some are only found when all pages are looked at.
                    let damages = try engine.verify()
                    #expect(!damages.isEmpty, "\(number) at \(offset)")
                    engine.close()
                } catch {
                    #expect([.corrupted, .notAStore].contains(error.code))
                }
            }
        }
    }

    #if os(Linux)
        /// LMDB reports it as an error of the disk.
        @Test func aLimitOnTheSizeOfFilesIsReportedAsAFullDisk() async throws {
            await #expect(processExitsWith: .success) {
                [path = temporary.place("store").path as String] in
                let engine = LMDBEngine(at: URL(filePath: path))
                try engine.open()
                try engine.put([1], [1])
                FullDisk.begin(limit: 1 << 20)
                let error = #expect(throws: DataStoreError.self) {
                    for key in 2..<200 as Range<UInt8> {
                        try engine.put([key], [UInt8](repeating: key, count: 30_000))
                    }
                }
                #expect(error?.code == .storageFull)
                FullDisk.end()
                try engine.put([2], [2])
                engine.close()
            }
        }
    #endif
}
