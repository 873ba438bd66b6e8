import Foundation

/// Values looked up by hash, with the equality of ``DataStoreValue/isEqual(to:)``.
struct ValueSet: Sendable {
    /// The values, as they were given.
    let elements: [DataStoreValue]
    private let keys: Set<Key>

    init(_ elements: [DataStoreValue]) {
        self.elements = elements
        // A value with NaN in it equals nothing, so it need not be in the set.
        var keys = Set<Key>(minimumCapacity: elements.count)
        for element in elements where element.isEqual(to: element) { keys.insert(Key(element)) }
        self.keys = keys
    }

    func contains(_ value: DataStoreValue) -> Bool { keys.contains(Key(value)) }

    /// A value as requests compare it.
    struct Key: Hashable {
        let value: DataStoreValue
        // Computed once, because a table uses it again when it grows.
        private let hash: Int

        init(_ value: DataStoreValue) {
            self.value = value
            var hasher = Hasher()
            switch value {
            case .null: break
            case .bool, .int, .double, .decimal:
                // All NaN have equal hashes, because some users of this type take them for equal.
                let number = ExactNumber(value)?.nearestDouble ?? 0
                hasher.combine(number.isNaN ? .nan : number)
            case .string(let text): hasher.combine(text)
            // Adding zero turns -0.0, which equals 0, into 0.0.
            case .date(let date):
                let seconds = date.timeIntervalSinceReferenceDate + 0
                hasher.combine(seconds.isNaN ? .nan : seconds)
            case .data(let data): hasher.combine(data)
            case .uuid(let uuid): hasher.combine(uuid)
            case .url(let url): hasher.combine(url.absoluteString)
            case .reference(let reference): hasher.combine(reference)
            case .array(let values): for value in values { hasher.combine(Key(value)) }
            case .dictionary(let values): hasher.combine(values.mapValues { Key($0) })
            }
            hash = hasher.finalize()
        }

        static func == (left: Key, right: Key) -> Bool {
            left.hash == right.hash && left.value.isEqual(to: right.value)
        }

        func hash(into hasher: inout Hasher) { hasher.combine(hash) }
    }
}
