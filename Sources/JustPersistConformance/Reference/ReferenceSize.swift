import Foundation
import JustPersist

extension DataStoreValue {
    /// The maximum nesting depth of collections.
    static let referenceDepthLimit = 100

    /// The approximate size of the value in bytes; `nil` if collections are nested too deeply.
    func referenceSize(depth: Int = 0) -> Int? {
        switch self {
        case .null, .bool: return 0
        case .int, .double, .date: return 8
        case .uuid: return 16
        case .decimal: return 20
        case .string(let text): return text.utf8.count
        case .data(let data): return data.count
        case .url(let url): return url.absoluteString.utf8.count
        case .reference(let reference): return 16 + reference.itemTypeKey.utf8.count
        case .array(let values): return Self.size(of: values, depth)
        case .dictionary(let entries):
            let names = entries.keys.reduce(0) { $0 + $1.utf8.count + 1 }
            return Self.size(of: entries.values, depth).map { names + $0 }
        }
    }

    /// The size of a list: a byte for the number of values, and for each value its size, a byte for its kind, and a
    /// byte for its length unless the kind determines it.
    private static func size(of values: some Collection<DataStoreValue>, _ depth: Int) -> Int? {
        guard depth < referenceDepthLimit else { return nil }
        var total = 1
        for value in values {
            guard let size = value.referenceSize(depth: depth + 1) else { return nil }
            switch value {
            case .null, .bool, .int, .double, .date, .uuid: total += 1 + size
            default: total += 2 + size
            }
        }
        return total
    }
}
