import Foundation
import JustPersist

extension DataStoreValue {
    /// The value of an archived transformable attribute.
    ///
    /// It is `nil` if the archive has an object of a class that no kind of value has, or is damaged: such bytes are kept as data.
    init?(archived bytes: [UInt8]) {
        guard let root = try? KeyedArchive(bytes).root else { return nil }
        var budget = Budget(objects: 100_000)
        guard let value = Self.value(root, depth: 0, &budget) else { return nil }
        self = value
    }

    /// A plain value, such as a default.
    init?(_ node: KeyedArchive.Node) {
        var budget = Budget(objects: 1000)
        guard let value = Self.value(node, depth: 0, &budget) else { return nil }
        self = value
    }

    /// The objects and bytes that a value may still have: an object may be shared by many, which would multiply it.
    private struct Budget {
        var objects: Int
        var bytes = 64 << 20

        mutating func take(_ object: BinaryPropertyList.Object) -> Bool {
            objects -= 1
            switch object {
            case .string(let text): bytes -= text.utf8.count
            case .data(let data): bytes -= data.count
            default: break
            }
            return objects > 0 && bytes > 0
        }
    }

    /// The classes whose objects are nothing but their elements.
    private static let collections: Set = [
        "NSArray", "NSMutableArray", "NSSet", "NSMutableSet", "NSDictionary",
        "NSMutableDictionary", "NSKnownKeysDictionary1",
    ]

    private static func value(
        _ node: KeyedArchive.Node?, depth: Int, _ budget: inout Budget
    ) -> DataStoreValue? {
        guard let node else { return .null }
        guard budget.take(node.value), depth < 60 else { return nil }
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
        let members = node.members
        let isCollection = collections.contains(node.className)
        // Classes of an app may have elements and more.
        if isCollection, members.count > (members["NS.keys"] == nil ? 2 : 3),
            members["searchMapping"] == nil
        {
            return nil
        }
        if isCollection, let elements = node.elements(atMost: budget.objects) {
            var values: [DataStoreValue] = []
            for element in elements {
                guard let value = value(element, depth: depth + 1, &budget) else { return nil }
                values.append(value)
            }
            return .array(values)
        }
        if isCollection, let entries = node.entries(atMost: budget.objects) {
            var values: [String: DataStoreValue] = [:]
            for entry in entries {
                guard budget.take(entry.key.value), let name = entry.key.string,
                    let value = value(entry.value, depth: depth + 1, &budget)
                else { return nil }
                values[name] = value
            }
            return .dictionary(values)
        }
        switch node.className {
        case "NSString", "NSMutableString":
            guard let text = members["NS.string"], budget.take(text.value) else { return nil }
            return node.string.map { .string($0) }
        case "NSNull": return .null
        case "NSDate":
            guard case .double(let seconds)? = members["NS.time"]?.value else { return nil }
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case "NSData", "NSMutableData":
            guard let content = members["NS.data"], budget.take(content.value),
                case .data(let data) = content.value
            else { return nil }
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
