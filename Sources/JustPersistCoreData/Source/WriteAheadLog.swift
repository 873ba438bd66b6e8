import Foundation
import JustPersist

/// The write-ahead log of a store, as “WAL-mode File Format” describes it in SQLite's documentation of its file format.
///
/// SQLite reads a log up to the first frame that is not valid, and reports nothing, because that is the normal end of a log. After
/// its end there are only frames of earlier logs, which have other salts, and of transactions that failed. So the whole last frame
/// of a transaction there shows damage.
enum WriteAheadLog {
    /// Throws if a log is damaged, and committed transactions in it therefore cannot be read.
    ///
    /// Damage of the last transaction cannot be distinguished from one that was interrupted.
    static func check(_ log: URL, of name: String) throws {
        guard let file = try? FileHandle(forReadingFrom: log) else { return }
        defer { try? file.close() }
        guard try file.seekToEnd() > 32 else { return }
        try file.seek(toOffset: 0)
        let header = Words(try file.read(upToCount: 32) ?? Data())
        let pageSize = Int(header[2])
        guard header[0] | 1 == 0x377f_0683, header[1] == 3_007_000,
            pageSize.nonzeroBitCount == 1, (512...65536).contains(pageSize)
        else { throw Self.header(name, "it does not begin as a log of SQLite does") }
        let isBigEndian = header[0] & 1 == 1
        var sums = Sums()
        sums.add(header.bytes.prefix(24), isBigEndian)
        guard sums.are(header[6], header[7]) else {
            throw Self.header(name, "the checksum of its header is wrong")
        }
        var damaged: Int?
        var number = 0
        while let frame = try file.read(upToCount: 24 + pageSize), frame.count == 24 + pageSize {
            number += 1
            let words = Words(frame.prefix(24))
            sums.add(words.bytes.prefix(8), isBigEndian)
            sums.add(frame.dropFirst(24), isBigEndian)
            let isValid =
                words[2] == header[4] && words[3] == header[5] && sums.are(words[4], words[5])
            // The last frame of a transaction has the size of the database.
            if let damaged, isValid, words[1] != 0 { throw Self.frame(damaged, name) }
            if !isValid { damaged = damaged ?? number }
            // Those of the next frame continue from those that this one has, also if its content is damaged.
            sums = Sums(words[4], words[5])
        }
    }

    private static func header(_ name: String, _ reason: String) -> DataStoreError {
        DataStoreError(
            .corrupted, in: "import",
            """
            The log “\(name)-wal” is damaged: \(reason). Nothing is imported, because SQLite would read nothing of the log. \
            Copy the store and its log again while its program is not running. Without the log, the store is as it was \
            before the transactions in it.
            """)
    }

    private static func frame(_ number: Int, _ name: String) -> DataStoreError {
        DataStoreError(
            .corrupted, in: "import",
            """
            The frame \(number) of the log “\(name)-wal” is damaged, and committed transactions follow. Nothing is imported. \
            Copy the store and its log again while its program is not running. If that does not help, for example because the \
            device lost power, the transactions from that frame on are lost. To import the others, copy the store and its log, \
            and let SQLite read the copies: sqlite3 COPY 'PRAGMA wal_checkpoint(TRUNCATE)'.
            """)
    }

    /// The words of a header, which are big-endian.
    private struct Words {
        let bytes: Data

        init(_ bytes: Data) { self.bytes = Data(bytes) }

        subscript(place: Int) -> UInt32 {
            (place * 4..<place * 4 + 4).reduce(0) {
                $0 << 8 | ($1 < bytes.count ? UInt32(bytes[$1]) : 0)
            }
        }
    }

    /// The running sums over all that was added.
    private struct Sums {
        private var first: UInt32
        private var second: UInt32

        init(_ first: UInt32 = 0, _ second: UInt32 = 0) {
            (self.first, self.second) = (first, second)
        }

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
