import Foundation
import JustPersist

/// Logs with second names, which are kept until their commits are known to be in the database.
///
/// When LevelDB opens a database, it deletes the logs that it has read, and also those that it has not read because the
/// system did not list them. With a second name a log survives that, and can be read again.
///
/// Logs are read one at a time, oldest first: of two, only the later one's commits can be looked up in the database,
/// and a log that is read after a later one would hide its changes.
struct KeptLogs {
    let directory: StoreDirectory
    /// The logs with commits in them, oldest first.
    let logs: [LogScan.Log]
    /// The second names of empty logs.
    private let empty: [String]

    init(_ scan: LogScan, in directory: StoreDirectory) {
        self.directory = directory
        logs = scan.logs.filter { $0.lastCommit != nil }
            .sorted { $0.commitNumber < $1.commitNumber }
        empty = scan.logs.filter { $0.soundByteCount == 0 }.map(\.fileName)
            .filter { LogFile(named: $0)?.isKept == true }
    }

    /// The logs to read: all that LevelDB needs, and those with second names.
    ///
    /// The second name of a log that LevelDB needs and finds is useless, and is removed. A different log with the same number
    /// is not such a case: LevelDB reuses a number that it has seen neither in its manifest nor in the name of a file.
    static func names(
        among names: [String], of manifest: Manifest?, in directory: StoreDirectory
    ) throws(DataStoreError) -> [String] {
        var logs: [String] = []
        for name in names {
            guard let file = LogFile(named: name) else { continue }
            let isNeeded = manifest?.needsLog(file.number) ?? true
            let own = LogFile.name(file.number)
            if file.isKept, isNeeded, names.contains(own),
                FileManager.default.contentsEqual(
                    atPath: directory.path + "/" + own, andPath: directory.path + "/" + name)
            {
                try directory.removeFiles([name])
            } else if file.isKept || isNeeded {
                logs.append(name)
            }
        }
        return logs
    }

    /// Leaves only the oldest log to LevelDB, and keeps all of them under second names.
    ///
    /// - Parameter reached: The last commit in the database, if known: a log that has only the second name is given to
    ///   LevelDB again only if its commits are known to be missing.
    func prepare(reached: UInt64?, names: [String]) throws(DataStoreError) {
        guard let oldest = logs.first else { return }
        for log in logs.dropFirst() where LogFile(named: log.fileName)?.isKept == false {
            try move(log.fileName, to: LogFile.keptName(log.number))
        }
        if LogFile(named: oldest.fileName)?.isKept == false {
            try link(oldest.fileName, to: LogFile.keptName(oldest.number))
        } else if let reached, oldest.commitNumber > reached {
            // LevelDB reads every log with a number above that of the first it needs.
            let numbers = names.filter { !$0.hasPrefix(Recovery.copyPrefix) }.compactMap { name in
                Manifest.fileNumber(name.drop { !$0.isNumber }.prefix { $0.isNumber })
            }
            try link(oldest.fileName, to: LogFile.name((numbers.max() ?? 0) + 1))
        }
        try directory.synchronize(in: "open")
    }

    /// Removes the second names of empty logs, and of logs whose commits up to `commit` are in the database; returns
    /// whether none is left.
    func release(upTo commit: UInt64) throws(DataStoreError) -> Bool {
        try directory.removeFiles(empty)
        for log in logs where log.commitNumber <= commit {
            try directory.removeFiles([LogFile.keptName(log.number)])
        }
        return logs.allSatisfy { $0.commitNumber <= commit }
    }

    // MARK: Files

    private func move(_ name: String, to target: String) throws(DataStoreError) {
        try change { try $0.moveItem(at: place(name), to: place(target)) }
    }

    private func link(_ name: String, to target: String) throws(DataStoreError) {
        try change { files in
            do {
                try files.linkItem(at: place(name), to: place(target))
            } catch {
                // Not every file system has hard links.
                try files.copyItem(at: place(name), to: place(target))
            }
        }
    }

    private func place(_ name: String) -> URL { directory.url.appending(path: name) }

    private func change(_ body: (FileManager) throws -> Void) throws(DataStoreError) {
        do {
            try body(.default)
        } catch {
            throw DataStoreError(fileError: error, in: "open", path: directory.path)
        }
    }
}

extension LogScan.Log {
    fileprivate var commitNumber: UInt64 { lastCommit?.number ?? 0 }
}
