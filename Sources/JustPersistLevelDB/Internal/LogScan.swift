import Foundation
import JustPersist

/// The contents of LevelDB's logs, found by reading them completely.
struct LogScan {
    /// One log.
    struct Log {
        let number: UInt64
        let fileName: String
        var byteCount = 0
        /// The end of the last complete batch before any damage.
        var soundByteCount = 0
        /// The last commit in a complete batch before any damage.
        var lastCommit: CommitRing.Entry?
    }

    /// The logs, oldest first.
    private(set) var logs: [Log] = []
    /// The first damaged place, if there is one.
    private(set) var damage: LogDamage?

    private var batchEnd: [UInt8] = []
    private var isInsideBatch = false

    /// Reads the logs with these names.
    init(of fileNames: [String], in directory: URL) throws(DataStoreError) {
        let logs = fileNames.compactMap { name in
            LogFile(named: name).map { Log(number: $0.number, fileName: name) }
        }
        for log in logs.sorted(by: { $0.number < $1.number }) {
            self.logs.append(log)
            isInsideBatch = false
            let place = directory.appending(path: log.fileName)
            do {
                let file = try PlainFile.handle(place, O_RDONLY)
                defer { try? file.close() }
                while let block = try file.read(upToCount: LogRecord.blockSize), !block.isEmpty {
                    take([UInt8](block))
                }
            } catch {
                throw DataStoreError(fileError: error, in: "open", path: place.path)
            }
        }
    }

    /// The last commit in any of the logs.
    var lastCommit: UInt64? { logs.compactMap { $0.lastCommit?.number }.max() }

    /// The bytes that LevelDB will read from the logs.
    var soundByteCount: Int { logs.reduce(0) { $0 + $1.soundByteCount } }

    /// The bytes of unfinished writes at the ends of the logs.
    var tornByteCount: Int { logs.reduce(0) { $0 + $1.byteCount - $1.soundByteCount } }

    /// Reads the next block of the last log; only its last block may be shorter than the others.
    private mutating func take(_ block: [UInt8]) {
        let start = logs[logs.count - 1].byteCount
        let end = block.count
        var offset = 0
        while end - offset >= LogRecord.headerSize {
            guard let record = LogRecord(in: block, at: offset) else {
                // A record that is cut off by the end of the file is an unfinished write, unless others follow it.
                let isCutOff =
                    end < LogRecord.blockSize && LogRecord.end(in: block, at: offset) > end
                let next = ((offset + 1)..<end).first { LogRecord(in: block, at: $0) != nil }
                if next != nil || !isCutOff { noteDamage(at: start + offset) }
                guard let next else { break }
                offset = next
                continue
            }
            if record.isFirst == isInsideBatch { noteDamage(at: start + offset) }
            take(record, of: block, at: start)
            offset = record.payload.upperBound
        }
        logs[logs.count - 1].byteCount += end
    }

    private mutating func take(_ record: LogRecord, of block: [UInt8], at start: Int) {
        let last = logs.count - 1
        if record.isFirst {
            damage?.noteBatch(in: logs[last].fileName)
            batchEnd = []
        }
        isInsideBatch = !record.isLast
        batchEnd += block[record.payload].suffix(CommitRing.noteLength)
        batchEnd.removeFirst(max(0, batchEnd.count - CommitRing.noteLength))
        if record.isLast, damage == nil {
            logs[last].soundByteCount = start + record.payload.upperBound
            logs[last].lastCommit = CommitRing.Entry(endOfBatch: batchEnd) ?? logs[last].lastCommit
        }
    }

    private mutating func noteDamage(at offset: Int) {
        guard damage == nil else { return }
        damage = LogDamage(fileName: logs[logs.count - 1].fileName, offset: offset)
    }
}
