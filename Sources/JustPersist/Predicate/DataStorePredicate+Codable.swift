/// Written as one field named after the case: `{"not": {"constant": true}}`.
extension DataStorePredicate: Codable {
    private enum CodingKeys: String, CodingKey { case constant, comparison, and, or, not }

    /// Reads what ``encode(to:)`` writes; throws `DecodingError` for anything else.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.onlyKey(of: "predicate") {
        case .constant: self = .constant(try container.decode(Bool.self, forKey: .constant))
        case .comparison:
            self = .comparison(try container.decode(Comparison.self, forKey: .comparison))
        case .and: self = .and(try container.decode([DataStorePredicate].self, forKey: .and))
        case .or: self = .or(try container.decode([DataStorePredicate].self, forKey: .or))
        case .not: self = .not(try container.decode(DataStorePredicate.self, forKey: .not))
        }
    }

    /// Writes one field named after the case.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .constant(let value): try container.encode(value, forKey: .constant)
        case .comparison(let comparison): try container.encode(comparison, forKey: .comparison)
        case .and(let parts): try container.encode(parts, forKey: .and)
        case .or(let parts): try container.encode(parts, forKey: .or)
        case .not(let part): try container.encode(part, forKey: .not)
        }
    }
}

/// Written as one field named after the case: `{"path": {"components": ["stars"]}}`.
extension DataStorePredicate.Expression: Codable {
    private enum CodingKeys: String, CodingKey { case value, path, count, list }

    /// Reads what ``encode(to:)`` writes; throws `DecodingError` for anything else.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.onlyKey(of: "predicate's expression") {
        case .value: self = .value(try container.decode(DataStoreValue.self, forKey: .value))
        case .path:
            self = .path(try container.decode(DataStorePredicate.AttributePath.self, forKey: .path))
        case .count:
            self = .count(
                try container.decode(DataStorePredicate.AttributePath.self, forKey: .count))
        case .list: self = .list(try container.decode([Self].self, forKey: .list))
        }
    }

    /// Writes one field named after the case.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .value(let value): try container.encode(value, forKey: .value)
        case .path(let path): try container.encode(path, forKey: .path)
        case .count(let path): try container.encode(path, forKey: .count)
        case .list(let parts): try container.encode(parts, forKey: .list)
        }
    }
}

extension KeyedDecodingContainer {
    /// The key of a container that has one, as the cases of an enumeration are written.
    func onlyKey(of type: String) throws -> Key {
        if let key = allKeys.first, allKeys.count == 1 { return key }
        throw DecodingError.dataCorrupted(
            .init(
                codingPath: codingPath,
                debugDescription: "A \(type) has one field, named after its kind"))
    }
}
