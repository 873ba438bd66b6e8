import Foundation

/// Values looked up by hash, with the equality of ``DataStoreValue/isEqual(to:)``.
struct ValueSet: Sendable {
    /// The values, as they were given.
    let elements: [DataStoreValue]
    private let keys: Set<Key>

    init(_ elements: [DataStoreValue]) {
        self.elements = elements
        // A value with NaN in it equals nothing, so it need not be found.
        keys = Set(elements.lazy.filter { $0.isEqual(to: $0) }.map(Key.init))
    }

    func contains(_ value: DataStoreValue) -> Bool { keys.contains(Key(value: value)) }

    /// A value by that equality; not for values that do not equal themselves.
    struct Key: Hashable {
        let value: DataStoreValue

        static func == (left: Key, right: Key) -> Bool { left.value.isEqual(to: right.value) }

        func hash(into hasher: inout Hasher) {
            if let number = ExactNumber(value) {
                hasher.combine(number.nearestDouble)
                return
            }
            switch value {
            case .null, .bool, .int, .double, .decimal: break
            case .string(let text): hasher.combine(text)
            // Adding zero turns -0.0, which equals 0, into 0.0.
            case .date(let date): hasher.combine(date.timeIntervalSinceReferenceDate + 0)
            case .data(let data): hasher.combine(data)
            case .uuid(let uuid): hasher.combine(uuid)
            case .url(let url): hasher.combine(url.absoluteString)
            case .reference(let reference): hasher.combine(reference)
            case .array(let values): for value in values { hasher.combine(Key(value: value)) }
            case .dictionary(let values): hasher.combine(values.mapValues(Key.init))
            }
        }
    }
}
