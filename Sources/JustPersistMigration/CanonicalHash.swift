import Foundation
import JustPersist

/// FNV-1a over a portable form of values: each value is its kind and its bits, texts and collections are preceded by
/// their lengths, and dictionaries are sorted by the bytes of their keys.
struct CanonicalHash {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325
    /// The number of bytes hashed.
    private(set) var count = 0

    /// The hash with its bits mixed, so that it may be summed.
    var mixed: UInt64 { Self.mixed(state) }

    /// A word with its bits mixed.
    static func mixed(_ word: UInt64) -> UInt64 {
        var hash = word
        hash = (hash ^ hash >> 33) &* 0xff51_afd7_ed55_8ccd
        hash = (hash ^ hash >> 33) &* 0xc4ce_b9fe_1a85_ec53
        return hash ^ hash >> 33
    }

    private mutating func combine(_ byte: UInt8) {
        state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
        count += 1
    }

    mutating func combine(_ word: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) {
            combine(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
        }
    }

    private mutating func combine(_ bytes: some Collection<UInt8>) {
        combine(UInt64(bytes.count))
        for byte in bytes { combine(byte) }
    }

    mutating func combine(_ text: String) { combine(text.utf8) }

    private mutating func combine(_ values: [String: DataStoreValue]) {
        combine(UInt64(values.count))
        let names = values.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for name in names {
            combine(name)
            combine(values[name] ?? .null)
        }
    }

    mutating func combine(_ value: DataStoreValue) {
        combine(value.kind.rawValue)
        switch value {
        case .null: break
        case .bool(let value): combine(value ? 1 : 0 as UInt8)
        case .int(let value): combine(UInt64(bitPattern: value))
        case .double(let value): combine(value.bitPattern)
        case .string(let value): combine(value)
        case .date(let value): combine(value.timeIntervalSinceReferenceDate.bitPattern)
        case .data(let value): combine(value)
        case .uuid(let value): combine(value.uuidString)
        case .decimal(let value): combine(value.description)
        case .url(let value):
            combine(value.relativeString)
            combine(value.baseURL?.absoluteString ?? "")
        case .reference(let value):
            combine(value.itemTypeKey)
            combine(value.id.high)
            combine(value.id.low)
        case .array(let values):
            combine(UInt64(values.count))
            for value in values { combine(value) }
        case .dictionary(let values): combine(values)
        }
    }
}
