/// Written as one field named after the case: `{"not": {"constant": true}}`.
///
/// A predicate with an ``evaluated(_:)`` part cannot be encoded.
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
        case .evaluated(let evaluation):
            throw EncodingError.invalidValue(
                self,
                .init(
                    codingPath: encoder.codingPath,
                    debugDescription: """
                        \(evaluation) is evaluated by Swift code, which cannot be encoded. Encode a predicate that is a \
                        comparison of attributes, or the text that the predicate is made of.
                        """))
        }
    }
}

/// Written as one field named after the case: `{"path": {"components": ["stars"]}}`.
extension DataStorePredicate.Expression: Codable {
    private enum CodingKeys: String, CodingKey {
        case value, path, count, list, variable, keyPath, function, element, subquery, ternary, cast
    }

    private struct KeyPathForm: Codable {
        let of: DataStorePredicate.Expression
        let path: DataStorePredicate.AttributePath
    }

    private struct FunctionForm: Codable {
        let name: DataStorePredicate.Function
        let arguments: [DataStorePredicate.Expression]
    }

    private struct ElementForm: Codable {
        let of: DataStorePredicate.Expression
        let index: DataStorePredicate.Index
    }

    private struct SubqueryForm: Codable {
        let collection: DataStorePredicate.Expression
        let variable: String
        let predicate: DataStorePredicate
    }

    private struct TernaryForm: Codable {
        let `if`: DataStorePredicate
        let then: DataStorePredicate.Expression
        let `else`: DataStorePredicate.Expression
    }

    private struct CastForm: Codable {
        let of: DataStorePredicate.Expression
        let to: DataStorePredicate.ValueClass
    }

    /// Reads what ``encode(to:)`` writes; throws `DecodingError` for anything else.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func decode<Form: Decodable>(_ key: CodingKeys, _ type: Form.Type = Form.self) throws
            -> Form
        {
            try container.decode(type, forKey: key)
        }
        let key = try container.onlyKey(of: "predicate's expression")
        switch key {
        case .value: self = .value(try decode(key))
        case .path: self = .path(try decode(key))
        case .count: self = .count(try decode(key))
        case .list: self = .list(try decode(key))
        case .variable: self = .variable(try decode(key))
        case .keyPath:
            let form = try decode(key, KeyPathForm.self)
            self = .keyPath(of: form.of, form.path)
        case .function:
            let form = try decode(key, FunctionForm.self)
            self = .function(form.name, form.arguments)
        case .element:
            let form = try decode(key, ElementForm.self)
            self = .element(of: form.of, form.index)
        case .subquery:
            let form = try decode(key, SubqueryForm.self)
            self = .subquery(form.collection, variable: form.variable, form.predicate)
        case .ternary:
            let form = try decode(key, TernaryForm.self)
            self = .ternary(form.if, form.then, form.else)
        case .cast:
            let form = try decode(key, CastForm.self)
            self = .cast(form.of, to: form.to)
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
        case .variable(let name): try container.encode(name, forKey: .variable)
        case .keyPath(of: let base, let path):
            try container.encode(KeyPathForm(of: base, path: path), forKey: .keyPath)
        case .function(let name, let arguments):
            try container.encode(FunctionForm(name: name, arguments: arguments), forKey: .function)
        case .element(of: let base, let index):
            try container.encode(ElementForm(of: base, index: index), forKey: .element)
        case .subquery(let collection, let variable, let predicate):
            try container.encode(
                SubqueryForm(collection: collection, variable: variable, predicate: predicate),
                forKey: .subquery)
        case .ternary(let predicate, let first, let second):
            try container.encode(
                TernaryForm(if: predicate, then: first, else: second), forKey: .ternary)
        case .cast(let part, let valueClass):
            try container.encode(CastForm(of: part, to: valueClass), forKey: .cast)
        }
    }
}

/// Written as `{"first": true}`, `{"last": true}` or `{"at": …}`.
extension DataStorePredicate.Index: Codable {
    private enum CodingKeys: String, CodingKey { case first, last, at }

    /// Reads what ``encode(to:)`` writes; throws `DecodingError` for anything else.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.onlyKey(of: "predicate's index") {
        case .first: self = .first
        case .last: self = .last
        case .at:
            self = .at(try container.decode(DataStorePredicate.Expression.self, forKey: .at))
        }
    }

    /// Writes one field named after the case.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .first: try container.encode(true, forKey: .first)
        case .last: try container.encode(true, forKey: .last)
        case .at(let place): try container.encode(place, forKey: .at)
        }
    }
}

extension KeyedDecodingContainer {
    /// The key of a container with one key, as the cases of an enumeration are written.
    func onlyKey(of type: String) throws -> Key {
        if let key = allKeys.first, allKeys.count == 1 { return key }
        throw DecodingError.dataCorrupted(
            .init(
                codingPath: codingPath,
                debugDescription: "A \(type) has one field, named after its kind"))
    }
}
