/// Decodes any `Decodable` from a stored value; the reverse of ``DataStoreValueEncoder``.
struct DataStoreValueDecoder {
    /// The value as the type, or an error that names the coding path.
    func decode<Value: Decodable>(
        _ type: Value.Type, from value: DataStoreValue
    ) throws(DataStoreError) -> Value {
        do {
            return try ValueDecoder(value: value, codingPath: [], depth: 0).decode(type)
        } catch DecodingError.typeMismatch(_, let context) {
            throw failure(.kindMismatch, context)
        } catch DecodingError.valueNotFound(_, let context),
            DecodingError.keyNotFound(_, let context), DecodingError.dataCorrupted(let context)
        {
            let cause = context.underlyingError as? DataStoreError
            throw failure(cause?.code ?? .unsupportedValue, context)
        } catch {
            throw DataStoreError(.unsupportedValue, in: "value", "\(error)")
        }
    }

    private func failure(
        _ code: DataStoreError.Code, _ context: DecodingError.Context
    ) -> DataStoreError {
        DataStoreError(
            code, in: "value", context.codingPath.prefixText + context.debugDescription)
    }
}

/// One stored value as a `Decoder` and as the container of a single value.
private struct ValueDecoder: Decoder, SingleValueDecodingContainer {
    let value: DataStoreValue
    let codingPath: [any CodingKey]
    let depth: Int
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func inner(_ value: DataStoreValue, at key: any CodingKey) -> ValueDecoder {
        ValueDecoder(value: value, codingPath: codingPath + [key], depth: depth)
    }

    func mismatch(_ type: Any.Type) -> DecodingError {
        value.isNull
            ? .valueNotFound(type, context("There is no value for \(type)."))
            : .typeMismatch(type, context("A value of kind \(value.kind) is no \(type)."))
    }

    func context(_ message: String, _ cause: DataStoreError? = nil) -> DecodingError.Context {
        .init(codingPath: codingPath, debugDescription: message, underlyingError: cause)
    }

    // MARK: A single value

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { value.isNull }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if let attributeType = type as? any AttributeValue.Type {
            guard let result = read(attributeType, as: type) else { throw mismatch(type) }
            return result
        }
        let limit = DataStoreValue.depthLimit
        guard depth < limit else {
            let message = "The value is nested more than \(limit) levels deep."
            throw DecodingError.dataCorrupted(
                context(message, DataStoreError(.limitExceeded, in: "value", message)))
        }
        return try Value(
            from: ValueDecoder(value: value, codingPath: codingPath, depth: depth + 1))
    }

    private func read<Attribute: AttributeValue, Value>(
        _ attributeType: Attribute.Type, as type: Value.Type
    ) -> Value? {
        Attribute(value).flatMap { $0 as? Value }
    }

    // MARK: Keyed values

    func container<Key: CodingKey>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        guard case .dictionary(let entries) = value else {
            throw mismatch([String: DataStoreValue].self)
        }
        return KeyedDecodingContainer(KeyedContainer(decoder: self, entries: entries))
    }

    private struct KeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let decoder: ValueDecoder
        let entries: [String: DataStoreValue]
        var codingPath: [any CodingKey] { decoder.codingPath }
        var allKeys: [Key] { entries.keys.compactMap { Key(stringValue: $0) } }

        func contains(_ key: Key) -> Bool { entries[key.stringValue] != nil }

        private func inner(_ key: Key) throws -> ValueDecoder {
            guard let entry = entries[key.stringValue] else {
                throw DecodingError.keyNotFound(
                    key, decoder.context("There is no value for the key “\(key.stringValue)”."))
            }
            return decoder.inner(entry, at: key)
        }

        func decodeNil(forKey key: Key) throws -> Bool { try inner(key).decodeNil() }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            try inner(key).decode(type)
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<NestedKey> {
            try inner(key).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try inner(key).unkeyedContainer()
        }

        func superDecoder() -> any Decoder {
            let key = ValueCodingKey.superclass
            return decoder.inner(entries[key.stringValue] ?? .null, at: key)
        }

        func superDecoder(forKey key: Key) -> any Decoder {
            decoder.inner(entries[key.stringValue] ?? .null, at: key)
        }
    }

    // MARK: Unkeyed values

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let values) = value else { throw mismatch([DataStoreValue].self) }
        return UnkeyedContainer(decoder: self, values: values)
    }

    private struct UnkeyedContainer: UnkeyedDecodingContainer {
        let decoder: ValueDecoder
        let values: [DataStoreValue]
        var currentIndex = 0
        var codingPath: [any CodingKey] { decoder.codingPath }
        var count: Int? { values.count }
        var isAtEnd: Bool { currentIndex >= values.count }

        init(decoder: ValueDecoder, values: [DataStoreValue]) {
            self.decoder = decoder
            self.values = values
        }

        /// Runs `body` on the next value, and advances unless that throws.
        private mutating func next<Result>(
            _ type: Any.Type, _ body: (ValueDecoder) throws -> Result
        ) throws -> Result {
            guard !isAtEnd else {
                throw DecodingError.valueNotFound(
                    type,
                    decoder.context("The array ends after \(values.count) values."))
            }
            let result = try body(
                decoder.inner(values[currentIndex], at: ValueCodingKey.index(currentIndex)))
            currentIndex += 1
            return result
        }

        mutating func decodeNil() throws -> Bool {
            guard !isAtEnd, values[currentIndex].isNull else { return false }
            currentIndex += 1
            return true
        }

        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            try next(type) { try $0.decode(type) }
        }

        mutating func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type
        ) throws -> KeyedDecodingContainer<NestedKey> {
            try next(type) { try $0.container(keyedBy: type) }
        }

        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
            try next([DataStoreValue].self) { try $0.unkeyedContainer() }
        }

        mutating func superDecoder() throws -> any Decoder {
            try next(DataStoreValue.self) { $0 }
        }
    }
}
