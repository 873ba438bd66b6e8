import Foundation
import JustPersist
import JustPersistRecords

/// The first damaged place in LevelDB's logs, and whether anything was written behind it.
///
/// A log is a row of 32 KiB blocks of records, each with a checksum over its type and its bytes. A
/// batch is one record, or several from a first one to a last one.
struct LogDamage: Equatable {
    /// The damaged log.
    let fileName: String
    /// Where in it the first record begins that is not what it should be.
    let offset: Int
    /// Whether batches follow in the same log.
    private(set) var isFollowedByBatch = false
    /// Whether batches follow in a later log.
    private(set) var isFollowedByLog = false

    /// Looks through the logs in `directory`, oldest first; `nil` if they are sound.
    static func find(in directory: URL) throws(DataStoreError) -> LogDamage? {
        var damage: LogDamage?
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            let logs = names.filter { $0.hasSuffix(".log") }
                .compactMap { name in UInt64(name.dropLast(4)).map { (number: $0, name: name) } }
                .sorted { $0.number < $1.number }
            for log in logs {
                let file = try FileHandle(forReadingFrom: directory.appending(path: log.name))
                defer { try? file.close() }
                var scan = Scan(fileName: log.name, damage: damage)
                while let block = try file.read(upToCount: Scan.blockSize), !block.isEmpty {
                    scan.take([UInt8](block))
                }
                damage = scan.damage
            }
        } catch {
            throw DataStoreError(fileError: error, in: "open", path: directory.path)
        }
        return damage
    }

    /// The state of looking through one log, which is handed to it block by block.
    private struct Scan {
        static let blockSize = 32 << 10

        let fileName: String
        var damage: LogDamage?
        private var start = 0
        private var isInsideBatch = false

        init(fileName: String, damage: LogDamage?) {
            self.fileName = fileName
            self.damage = damage
        }

        /// Looks through the next block; only the last one may be shorter than the others.
        mutating func take(_ block: [UInt8]) {
            let end = block.count
            var offset = 0
            while end - offset >= Record.headerSize {
                guard let record = Record(in: block, at: offset) else {
                    // A record cut off by the end of the file is a write that never finished, unless
                    // it only seems to be, and others are behind it.
                    let isCutOff =
                        end < Self.blockSize && Record.end(in: block, at: offset) > end
                    let next = ((offset + 1)..<end).first { Record(in: block, at: $0) != nil }
                    if next != nil || !isCutOff { note(offset) }
                    guard let next else { break }
                    offset = next
                    continue
                }
                if record.beginsBatch == isInsideBatch { note(offset) }
                if record.beginsBatch, let damaged = damage?.fileName {
                    if damaged == fileName {
                        damage?.isFollowedByBatch = true
                    } else {
                        damage?.isFollowedByLog = true
                    }
                }
                isInsideBatch = !record.endsBatch
                offset = record.end
            }
            start += end
        }

        private mutating func note(_ offset: Int) {
            if damage == nil { damage = LogDamage(fileName: fileName, offset: start + offset) }
        }
    }

    /// One sound record: checksum, length and kind, then the bytes.
    private struct Record {
        static let headerSize = 7

        let end: Int
        let beginsBatch: Bool
        let endsBatch: Bool

        init?(in block: [UInt8], at offset: Int) {
            guard block.count - offset >= Self.headerSize, 1...4 ~= block[offset + 6] else {
                return nil
            }
            end = Self.end(in: block, at: offset)
            let checksum = block[offset..<(offset + 4)].reversed().reduce(0) {
                $0 << 8 | UInt32($1)
            }
            guard end <= block.count, CRC32C.masked(of: block[(offset + 6)..<end]) == checksum
            else {
                return nil
            }
            // Whole, first, middle, last.
            beginsBatch = block[offset + 6] <= 2
            endsBatch = block[offset + 6] == 1 || block[offset + 6] == 4
        }

        static func end(in block: [UInt8], at offset: Int) -> Int {
            offset + headerSize + (Int(block[offset + 4]) | Int(block[offset + 5]) << 8)
        }
    }
}

/// The checksum of LevelDB's files.
enum CRC32C {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { sum, _ in
            sum & 1 == 0 ? sum >> 1 : (sum >> 1) ^ 0x82F6_3B78
        }
    }

    /// The checksum as LevelDB stores it: turned, for a checksum of checksums is weak.
    static func masked(of bytes: ArraySlice<UInt8>) -> UInt32 {
        let table = table
        let inverse = bytes.reduce(~UInt32(0)) { sum, byte in
            (sum >> 8) ^ table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)]
        }
        let sum = ~inverse
        return (sum >> 15 | sum << 17) &+ 0xA282_EAD8
    }
}
