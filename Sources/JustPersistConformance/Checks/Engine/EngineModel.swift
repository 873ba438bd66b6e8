import JustPersistRecords

/// The keys and values that an engine must contain.
struct EngineModel: Sendable {
    /// A key and its value.
    struct Entry: Sendable, Equatable, CustomStringConvertible {
        let key: [UInt8]
        let value: [UInt8]

        var description: String { "\(Self.text(key)): \(Self.text(value))" }

        private static func text(_ bytes: [UInt8]) -> String {
            let shown = bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: " ")
            return bytes.count > 8 ? "\(shown) … (\(bytes.count) bytes)" : "[\(shown)]"
        }
    }

    private(set) var values: [[UInt8]: [UInt8]] = [:]

    /// Every key with its value, in the order of keys.
    var entries: [Entry] { entries(in: .all) }

    /// The keys of a range with their values, in the order of keys.
    func entries(in range: KeyRange) -> [Entry] {
        values.filter { key, _ in
            !key.lexicographicallyPrecedes(range.lower)
                && range.upper.map { key.lexicographicallyPrecedes($0) } != false
        }.map { Entry(key: $0, value: $1) }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    }

    mutating func put(_ value: [UInt8], forKey key: [UInt8]) { values[key] = value }

    mutating func delete(_ key: [UInt8]) { values[key] = nil }
}
