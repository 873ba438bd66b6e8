/// Encodes any `Encodable` as a stored value of native kinds.
///
/// Keyed containers become dictionaries, and unkeyed ones arrays. Every ``AttributeValue`` inside keeps its own kind:
/// a `Date` stays a date.
struct DataStoreValueEncoder {
    /// The stored value, or an error that names the coding path.
    func encode(_ value: some Encodable) throws(DataStoreError) -> DataStoreValue {
        let root = EncodingNode(codingPath: [], depth: 0)
        do {
            try root.encode(value)
            return try root.value()
        } catch EncodingError.invalidValue(_, let context) {
            let cause = context.underlyingError as? DataStoreError
            throw DataStoreError(
                cause?.code ?? .unsupportedValue, in: "setValue",
                context.codingPath.prefixText + context.debugDescription)
        } catch {
            throw DataStoreError(.unsupportedValue, in: "setValue", "\(error)")
        }
    }
}

extension [any CodingKey] {
    /// The path as the beginning of a message: empty at the root, or “At “address.lines.0”: ”.
    var prefixText: String {
        if isEmpty { return "" }
        let keys = map { $0.intValue.map(String.init) ?? $0.stringValue }
        return "At “\(keys.joined(separator: "."))”: "
    }
}

/// A position in a collection, or the place of a superclass.
enum ValueCodingKey: CodingKey {
    case index(Int)
    case name(String)

    /// The key that Foundation's coders use for a superclass, too.
    static let superclass = ValueCodingKey.name("super")

    init(stringValue: String) { self = .name(stringValue) }
    init(intValue: Int) { self = .index(intValue) }

    var intValue: Int? {
        if case .index(let index) = self { index } else { nil }
    }

    var stringValue: String {
        switch self {
        case .index(let index): String(index)
        case .name(let name): name
        }
    }
}

/// One value while it is being encoded.
///
/// A class, because containers of one value may be requested in turn, as a class and its superclass do.
private final class EncodingNode: Encoder, SingleValueEncodingContainer {
    private enum Content {
        case nothing
        case value(DataStoreValue)
        case array([EncodingNode])
        case dictionary([String: EncodingNode])
        /// An invalid mixture of containers; thrown when the value is taken, because containers are made without
        /// `throws`.
        case mixed
        case tooDeep
    }

    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    private let depth: Int
    private var content = Content.nothing

    init(codingPath: [any CodingKey], depth: Int) {
        self.codingPath = codingPath
        self.depth = depth
        if depth > DataStoreValue.depthLimit { content = .tooDeep }
    }

    func value() throws -> DataStoreValue {
        switch content {
        case .nothing: throw failure(.unsupportedValue, "The value encoded nothing.")
        case .value(let value): return value
        case .array(let nodes): return .array(try nodes.map { try $0.value() })
        case .dictionary(let nodes): return .dictionary(try nodes.mapValues { try $0.value() })
        case .mixed:
            throw failure(.unsupportedValue, "The value encoded itself in more than one way.")
        case .tooDeep:
            let limit = DataStoreValue.depthLimit
            throw failure(
                .limitExceeded, "The value is nested more than \(limit) levels deep.")
        }
    }

    private func failure(
        _ code: DataStoreError.Code, _ message: String
    ) -> EncodingError {
        .invalidValue(
            (),
            .init(
                codingPath: codingPath, debugDescription: message,
                underlyingError: DataStoreError(code, in: "setValue", message)))
    }

    // MARK: A single value

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() { fill(.value(.null)) }

    func encode(_ value: some Encodable) throws {
        if let attribute = value as? any AttributeValue {
            do throws(DataStoreError) {
                fill(.value(try attribute.storedValue()))
            } catch {
                throw failure(error.code, error.message)
            }
            return
        }
        let inner = EncodingNode(codingPath: codingPath, depth: depth + 1)
        if case .tooDeep = inner.content { _ = try inner.value() }
        try value.encode(to: inner)
        fill(inner.content)
    }

    private func fill(_ newContent: Content) {
        if case .nothing = content { content = newContent } else { content = .mixed }
    }

    // MARK: Keyed values

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        switch content {
        case .nothing: content = .dictionary([:])
        case .dictionary, .tooDeep: break
        case .value, .array, .mixed: content = .mixed
        }
        return KeyedEncodingContainer(KeyedContainer(node: self))
    }

    fileprivate func child(_ key: any CodingKey, deeper: Int = 0) -> EncodingNode {
        let child = EncodingNode(codingPath: codingPath + [key], depth: depth + deeper)
        if case .dictionary(var nodes) = content {
            content = .nothing  // Leaves `nodes` the only owner: no copy.
            nodes[key.stringValue] = child
            content = .dictionary(nodes)
        }
        return child
    }

    private struct KeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let node: EncodingNode
        var codingPath: [any CodingKey] { node.codingPath }

        func encodeNil(forKey key: Key) { node.child(key).encodeNil() }

        func encode(_ value: some Encodable, forKey key: Key) throws {
            try node.child(key).encode(value)
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy keyType: NestedKey.Type, forKey key: Key
        ) -> KeyedEncodingContainer<NestedKey> {
            node.child(key, deeper: 1).container(keyedBy: keyType)
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            node.child(key, deeper: 1).unkeyedContainer()
        }

        func superEncoder() -> any Encoder { node.child(ValueCodingKey.superclass, deeper: 1) }

        func superEncoder(forKey key: Key) -> any Encoder { node.child(key, deeper: 1) }
    }

    // MARK: Unkeyed values

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        switch content {
        case .nothing: content = .array([])
        case .array, .tooDeep: break
        case .value, .dictionary, .mixed: content = .mixed
        }
        return UnkeyedContainer(node: self)
    }

    fileprivate var count: Int {
        if case .array(let nodes) = content { nodes.count } else { 0 }
    }

    fileprivate func append(deeper: Int = 0) -> EncodingNode {
        let child = EncodingNode(
            codingPath: codingPath + [ValueCodingKey.index(count)], depth: depth + deeper)
        if case .array(var nodes) = content {
            content = .nothing  // Leaves `nodes` the only owner: no copy.
            nodes.append(child)
            content = .array(nodes)
        }
        return child
    }

    private struct UnkeyedContainer: UnkeyedEncodingContainer {
        let node: EncodingNode
        var codingPath: [any CodingKey] { node.codingPath }
        var count: Int { node.count }

        func encodeNil() { node.append().encodeNil() }

        func encode(_ value: some Encodable) throws { try node.append().encode(value) }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy keyType: NestedKey.Type
        ) -> KeyedEncodingContainer<NestedKey> {
            node.append(deeper: 1).container(keyedBy: keyType)
        }

        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
            node.append(deeper: 1).unkeyedContainer()
        }

        func superEncoder() -> any Encoder { node.append(deeper: 1) }
    }
}
