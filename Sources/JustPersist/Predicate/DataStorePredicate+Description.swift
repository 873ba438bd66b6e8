extension DataStorePredicate: CustomStringConvertible {
    /// The predicate as text in one line.
    ///
    /// Parsing it gives an equal predicate, with three exceptions: an AND or OR of one part is written as the part, one
    /// without parts as `TRUEPREDICATE` or `FALSEPREDICATE`, and an ``evaluated(_:)`` part in `«»`, which cannot be
    /// parsed.
    public var description: String {
        switch meaning {
        case .constant(let value): value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .comparison(let comparison): comparison.description
        case .and(let parts): parts.map(\.descriptionAsPart).joined(separator: " AND ")
        case .or(let parts): parts.map(\.descriptionAsPart).joined(separator: " OR ")
        case .not(let part): "NOT " + part.descriptionAsPart
        case .evaluated(let evaluation): evaluation.description
        }
    }

    private var descriptionAsPart: String {
        switch meaning {
        case .and, .or: "(\(description))"
        case .constant, .comparison, .not, .evaluated: description
        }
    }

    /// The predicate without an AND or OR of fewer than two parts at its top.
    private var meaning: DataStorePredicate {
        var predicate = self
        while true {
            switch predicate {
            case .and(let parts) where parts.isEmpty: return .constant(true)
            case .or(let parts) where parts.isEmpty: return .constant(false)
            case .and(let parts) where parts.count == 1: predicate = parts[0]
            case .or(let parts) where parts.count == 1: predicate = parts[0]
            default: return predicate
            }
        }
    }
}

extension DataStorePredicate.Comparison: CustomStringConvertible {
    /// The comparison in a predicate's text.
    public var description: String {
        var letters = ""
        if options.contains(.caseInsensitive) { letters += "c" }
        if options.contains(.diacriticInsensitive) { letters += "d" }
        if options.contains(.normalized) { letters += "n" }
        if options.contains(.wholeCharacters) { letters += "w" }
        let relation = self.operator.rawValue + (letters.isEmpty ? "" : "[\(letters)]")
        let word =
            switch modifier {
            case .direct: ""
            case .any: "ANY "
            case .all: "ALL "
            }
        return word + "\(left) \(relation) \(right)"
    }
}

extension DataStorePredicate.Expression: CustomStringConvertible {
    /// The expression in a predicate's text.
    public var description: String {
        switch self {
        case .value(let value): value.predicateLiteral
        case .path(let path): path.description
        case .count(let path): path.description + ".@count"
        case .list(let parts): "{" + Self.listed(parts) + "}"
        case .variable(let name): "$" + name
        case .keyPath(of: let base, let path): "\(base.descriptionAsBase).\(path)"
        case .function(let function, let arguments):
            if let sign = function.sign, arguments.count == 2 {
                "\(arguments[0].descriptionAsOperand) \(sign) \(arguments[1].descriptionAsOperand)"
            } else {
                "\(function.word)(\(Self.listed(arguments)))"
            }
        case .element(of: let base, let index): "\(base.descriptionAsBase)[\(index)]"
        case .subquery(let collection, let variable, let predicate):
            "SUBQUERY(\(collection), $\(variable), \(predicate))"
        case .ternary(let predicate, let first, let second):
            "TERNARY(\(predicate), \(first), \(second))"
        case .cast(let part, let valueClass): "CAST(\(part), \"\(valueClass.rawValue)\")"
        }
    }

    private static func listed(_ parts: [Self]) -> String {
        parts.map(\.description).joined(separator: ", ")
    }

    /// The text next to an arithmetic operator.
    private var descriptionAsOperand: String {
        if case .function(let function, let arguments) = self, function.sign != nil,
            arguments.count == 2
        {
            return "(\(description))"
        }
        return description
    }

    /// The text before a dot or brackets.
    private var descriptionAsBase: String {
        switch self {
        case .path, .variable, .keyPath, .element, .subquery, .ternary, .cast: return description
        case .function(let function, let arguments)
        where function.sign == nil || arguments.count != 2:
            return description
        default: return "(\(description))"
        }
    }
}

extension DataStorePredicate.Index: CustomStringConvertible {
    /// The text between the brackets.
    public var description: String {
        switch self {
        case .first: "FIRST"
        case .last: "LAST"
        case .at(let place): place.description
        }
    }
}

extension DataStorePredicate.AttributePath: CustomStringConvertible {
    /// The names with dots, each escaped if a predicate's text requires it.
    public var description: String { components.map(Self.escaped).joined(separator: ".") }

    private static func escaped(_ name: String) -> String {
        guard name.isBareName else { return "#" + name.quoted }
        return reservedWords.contains(name.uppercased()) ? "#" + name : name
    }

    /// The reserved words of the Predicate Programming Guide, some of which this parser accepts as names.
    private static let reservedWords: Set<String> = [
        "AND", "OR", "IN", "NOT", "ALL", "ANY", "SOME", "NONE", "LIKE", "CASEINSENSITIVE", "CI",
        "MATCHES", "CONTAINS", "BEGINSWITH", "ENDSWITH", "BETWEEN", "NULL", "NIL", "SELF", "TRUE",
        "YES",
        "FALSE", "NO", "FIRST", "LAST", "SIZE", "ANYKEY", "SUBQUERY", "FETCH", "CAST", "TERNARY",
        "FUNCTION", "TRUEPREDICATE",
        "FALSEPREDICATE",
    ]
}

extension String {
    /// Whether the text can be a name without quotes.
    var isBareName: Bool {
        unicodeScalars.first?.startsName == true && unicodeScalars.allSatisfy(\.continuesName)
    }
}
