import Foundation
import JustPersist

extension DataStoreValue {
    /// The value of an archived transformable attribute.
    ///
    /// It is `nil` if the archive has an object of a class that no kind of value has, or is damaged: such bytes are kept as data.
    init?(archived bytes: [UInt8]) {
        guard let root = try? KeyedArchive(bytes).root else { return nil }
        // An object may be shared by many, which would multiply.
        var budget = 100_000
        guard let value = Self.value(root, depth: 0, &budget) else { return nil }
        self = value
    }

    /// A plain value, such as a default.
    init?(_ node: KeyedArchive.Node) {
        var budget = 1000
        guard let value = Self.value(node, depth: 0, &budget) else { return nil }
        self = value
    }

    private static func value(
        _ node: KeyedArchive.Node?, depth: Int, _ budget: inout Int
    ) -> DataStoreValue? {
        guard let node else { return .null }
        budget -= 1
        guard budget > 0, depth < 60 else { return nil }
        switch node.value {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .int(let value): return .int(value)
        case .double(let value): return .double(value)
        case .date(let seconds): return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case .data(let data): return .data(data)
        case .string(let text): return .string(text)
        case .uid: return nil
        case .array, .dictionary: break
        }
        if let elements = node.elements {
            guard ["Array", "Set"].contains(where: node.className.hasSuffix) else { return nil }
            var values: [DataStoreValue] = []
            for element in elements {
                guard let value = value(element, depth: depth + 1, &budget) else { return nil }
                values.append(value)
            }
            return .array(values)
        }
        if let entries = node.entries {
            var values: [String: DataStoreValue] = [:]
            for entry in entries {
                guard let name = entry.key.string,
                    let value = value(entry.value, depth: depth + 1, &budget)
                else { return nil }
                values[name] = value
            }
            return .dictionary(values)
        }
        let members = node.members
        switch node.className {
        case "NSString", "NSMutableString": return node.string.map { .string($0) }
        case "NSNull": return .null
        case "NSDate":
            guard case .double(let seconds)? = members["NS.time"]?.value else { return nil }
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case "NSData", "NSMutableData":
            guard case .data(let data)? = members["NS.data"]?.value else { return nil }
            return .data(data)
        case "NSUUID":
            guard case .data(let data)? = members["NS.uuidbytes"]?.value else { return nil }
            return UUID(bytes: data).map { .uuid($0) }
        case "NSURL":
            guard members["NS.base"] == nil, let text = members["NS.relative"]?.string else {
                return nil
            }
            return URL(string: text, encodingInvalidCharacters: false).map { .url($0) }
        default: return nil
        }
    }
}

extension UUID {
    /// The UUID with 16 bytes.
    init?(bytes: Data) {
        guard bytes.count == 16 else { return nil }
        let words = bytes.reduce(into: (high: UInt64(0), low: UInt64(0))) { words, byte in
            words = (words.high << 8 | words.low >> 56, words.low << 8 | UInt64(byte))
        }
        self = ItemID(high: words.high, low: words.low).uuid
    }
}
