import Foundation

extension DataStoreValue {
    /// The bytes that count for the value, or `limit` plus one as soon as that is exceeded; `nil` if collections are
    /// nested too deeply.
    ///
    /// This is the length of the payload in the record layer's file format, so that every store refuses equal values.
    package func storedSize(limit: Int, depth: Int = 0) -> Int? {
        switch self {
        case .null, .bool: return 0
        case .int, .double, .date: return 8
        case .uuid: return 16
        case .string(let value): return value.utf8.count
        case .data(let value): return value.count
        case .decimal(let value): return 5 + value.significand.description.utf8.count
        case .url(let value):
            let base = value.baseURL.map { $0.absoluteString.utf8.count + 1 } ?? 0
            return value.relativeString.utf8.count + base
        case .reference(let value): return 16 + value.itemTypeKey.utf8.count
        case .array(let values):
            guard depth < DataStoreValue.depthLimit else { return nil }
            var size = Self.varintSize(values.count)
            for value in values {
                guard let inner = value.nestedSize(limit: limit, depth: depth) else { return nil }
                size += inner
                if size > limit { return limit + 1 }
            }
            return size
        case .dictionary(let entries):
            guard depth < DataStoreValue.depthLimit else { return nil }
            var size = Self.varintSize(entries.count)
            for (key, value) in entries {
                guard let inner = value.nestedSize(limit: limit, depth: depth) else { return nil }
                size += Self.varintSize(key.utf8.count) + key.utf8.count + inner
                if size > limit { return limit + 1 }
            }
            return size
        }
    }

    /// The bytes of the value as an element of a collection: its tag, its length if that is stored, and its payload.
    private func nestedSize(limit: Int, depth: Int) -> Int? {
        guard let size = storedSize(limit: limit, depth: depth + 1) else { return nil }
        switch self {
        case .null, .bool, .int, .double, .date, .uuid: return 1 + size
        default: return 1 + Self.varintSize(size) + size
        }
    }

    private static func varintSize(_ number: Int) -> Int {
        max(1, (Int.bitWidth - number.leadingZeroBitCount + 6) / 7)
    }
}
