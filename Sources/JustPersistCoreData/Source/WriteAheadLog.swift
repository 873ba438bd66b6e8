import Foundation
import JustPersist

/// The write-ahead log of a store, as “WAL-mode File Format” describes it in SQLite's documentation of its file format.
///
/// SQLite reads a log up to the first frame that is not valid, and reports nothing, because a log ends so. After its end there
/// are only frames of earlier logs, which have other salts, and of transactions that were not committed. So a last frame of a
/// transaction there, with the salts of the log, shows damage.
enum WriteAheadLog {
    /// Throws if transactions in a log cannot be read, because it is damaged or no log.
    static func check(_ log: URL, of name: String) throws {
        guard let file = try? FileHandle(forReadingFrom: log) else { return }
        defer { try? file.close() }
        guard let header = try file.read(upToCount: 32), !header.isEmpty else { return }
        let words = Words(header)
        guard header.count == 32, words[0] | 1 == 0x377f_0683, words[1] == 3_007_000,
            case let pageSize = Int(words[2]), pageSize.nonzeroBitCount == 1,
            (512...65536).contains(pageSize)
        else { throw damage(name, "it does not begin as a log of SQLite does") }
        let isBigEndian = words[0] & 1 == 1
        var sums = Sums()
        sums.add(header.prefix(24), isBigEndian)
        guard sums.are(words[6], words[7]) else {
            throw damage(name, "the checksum of its header is wrong")
        }
        var damaged: Int?
        var number = 0
        while let frame = try file.read(upToCount: 24 + pageSize), frame.count > 24 {
            number += 1
            let words = Words(frame.prefix(24))
            guard words[2] == Words(header)[4], words[3] == Words(header)[5] else {
                damaged = damaged ?? number
                continue
            }
            if damaged == nil {
                if frame.count == 24 + pageSize {
                    sums.add(frame.prefix(8), isBigEndian)
                    sums.add(frame.dropFirst(24), isBigEndian)
                }
                if frame.count < 24 + pageSize || !sums.are(words[4], words[5]) { damaged = number }
            }
            // The last frame of a transaction has the size of the database.
            if let damaged, words[1] != 0 {
                throw damage(
                    name,
                    "its page \(damaged) is damaged, and it has committed transactions from there on"
                )
            }
        }
    }

    private static func damage(_ name: String, _ reason: String) -> DataStoreError {
        DataStoreError(
            .corrupted, in: "import",
            """
            The log “\(name)-wal” is damaged: \(reason). Nothing is imported. Copy the store again with its log while its \
            program is not running. To import what can be read without those transactions, open a copy with SQLite once: sqlite3 \
            COPY 'PRAGMA wal_checkpoint(TRUNCATE)'.
            """)
    }

    /// The words of a header, which are big-endian.
    private struct Words {
        private let bytes: Data

        init(_ bytes: Data) { self.bytes = Data(bytes) }

        subscript(place: Int) -> UInt32 {
            (place * 4..<place * 4 + 4).reduce(0) {
                $0 << 8 | ($1 < bytes.count ? UInt32(bytes[$1]) : 0)
            }
        }
    }

    /// The running sums over all that was added.
    private struct Sums {
        private var first: UInt32 = 0
        private var second: UInt32 = 0

        mutating func add(_ data: Data, _ isBigEndian: Bool) {
            let bytes = [UInt8](data)
            func word(_ place: Int) -> UInt32 {
                let word =
                    UInt32(bytes[place]) << 24 | UInt32(bytes[place + 1]) << 16
                    | UInt32(bytes[place + 2]) << 8 | UInt32(bytes[place + 3])
                return isBigEndian ? word : word.byteSwapped
            }
            for place in stride(from: 0, to: bytes.count - 7, by: 8) {
                first &+= word(place) &+ second
                second &+= word(place + 4) &+ first
            }
        }

        func are(_ first: UInt32, _ second: UInt32) -> Bool {
            self.first == first && self.second == second
        }
    }
}
