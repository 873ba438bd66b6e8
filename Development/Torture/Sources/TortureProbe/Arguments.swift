import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistLevelDB
import Workload

/// What a probe is told: `name=value` pairs.
struct Arguments {
    private var values: [String: String] = [:]

    init(_ words: some Sequence<String>) throws {
        for word in words {
            guard let sign = word.firstIndex(of: "=") else {
                throw Failure("“\(word)” has no value")
            }
            values[String(word[..<sign])] = String(word[word.index(after: sign)...])
        }
    }

    /// A message for whoever started the probe.
    struct Failure: Error {
        let message: String
        init(_ message: String) { self.message = message }
    }

    func text(_ name: String) throws -> String {
        guard let value = values[name] else { throw Failure("\(name)= is missing") }
        return value
    }

    func number(_ name: String, or fallback: Int) throws -> Int {
        guard let value = values[name] else { return fallback }
        guard let number = Int(value) else { throw Failure("\(name)=\(value) is no number") }
        return number
    }

    func flag(_ name: String) throws -> Bool { try number(name, or: 0) != 0 }

    /// The workload that is written or looked for.
    var workload: Workload {
        get throws {
            guard let seed = UInt64(try text("seed")) else { throw Failure("seed= is no number") }
            return Workload(seed: seed, writer: try number("writer", or: 0))
        }
    }

    /// The store, closed.
    var store: any DataStore { get throws { try store("store") } }

    /// The store that an argument names, closed; one that is only read must exist.
    func store(
        _ name: String, isReadOnly: Bool = false, changeLog: ChangeLogLength? = nil
    ) throws -> any DataStore {
        let location = try text(name)
        let durability: Durability = try flag("relaxed") ? .relaxed : .full
        let createsIfMissing = try !flag("existing") && !isReadOnly
        if let path = location.removingPrefix("lmdb:") {
            return LMDBDataStore(
                at: URL(filePath: path, directoryHint: .isDirectory),
                configuration: LMDBConfiguration(
                    maximumSize: 1 << 30, maximumReaders: try number("slots", or: 126),
                    durability: durability, isReadOnly: isReadOnly,
                    createsIfMissing: createsIfMissing, changeLog: changeLog))
        }
        if let path = location.removingPrefix("leveldb:") {
            return LevelDBDataStore(
                at: URL(filePath: path, directoryHint: .isDirectory),
                configuration: LevelDBConfiguration(
                    durability: durability, writeBufferSize: try number("buffer", or: 4 << 20),
                    isReadOnly: isReadOnly, createsIfMissing: createsIfMissing,
                    changeLog: changeLog))
        }
        throw Failure("\(name)=\(location) is neither lmdb: nor leveldb:")
    }
}

extension String {
    fileprivate func removingPrefix(_ prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
