import JustPersist
import JustPersistRecords

/// A key and its value.
struct Pair: Hashable {
    let key: [UInt8]
    let value: [UInt8]

    init(_ key: [UInt8], _ value: [UInt8]) {
        self.key = key
        self.value = value
    }
}

extension [UInt8] {
    init(_ span: Span<UInt8>) {
        self.init(capacity: span.count) { output in
            for index in span.indices { output.append(span[index]) }
        }
    }
}

extension KeyValueReader {
    func value(_ key: [UInt8]) throws(DataStoreError) -> [UInt8]? {
        var found: [UInt8]?
        let exists = try withValue(forKey: key.span) { found = [UInt8]($0) }
        return exists ? found : nil
    }

    func pairs(
        _ range: KeyRange = .all, reversed: Bool = false, limit: Int = .max
    ) throws(DataStoreError) -> [Pair] {
        var pairs: [Pair] = []
        try scan(range, reversed: reversed) { key, value in
            pairs.append(Pair([UInt8](key), [UInt8](value)))
            return pairs.count < limit ? .next : .stop
        }
        return pairs
    }
}

extension KeyValueWriter {
    func put(_ key: [UInt8], _ value: [UInt8]) throws(DataStoreError) {
        try put(value.span, forKey: key.span)
    }

    func delete(_ key: [UInt8]) throws(DataStoreError) -> Bool {
        try delete(key.span)
    }
}

extension KeyValueEngine {
    func put(_ key: [UInt8], _ value: [UInt8]) throws {
        try write { try $0.put(key, value) }
    }

    func value(_ key: [UInt8]) throws -> [UInt8]? {
        var found: [UInt8]?
        try read { found = try $0.value(key) }
        return found
    }

    func pairs(_ range: KeyRange = .all, reversed: Bool = false) throws -> [Pair] {
        var pairs: [Pair] = []
        try read { pairs = try $0.pairs(range, reversed: reversed) }
        return pairs
    }
}
