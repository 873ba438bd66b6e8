extension DataStorePredicate.Expression {
    /// The key path of a text with dots, including collection operators such as `@avg`.
    init(keyPath text: String) throws(DataStoreError) {
        var path = PredicateKeyPath()
        if let problem = path.append(keyPath: text) {
            throw DataStoreError(.invalidPredicate, in: "predicate", problem)
        }
        self = path.expression
    }
}

/// A key path that is being built from its start: names, and collection operators between them.
///
/// The operators are those of key-value coding (Key-Value Coding Programming Guide, "Using Collection Operators"). The
/// names after an operator are its right key path, which continues from each element; `self` is the element there.
struct PredicateKeyPath {
    typealias Expression = DataStorePredicate.Expression

    /// The start of the names; `nil` for the item.
    private var base: Expression?
    private var names: [String] = []
    /// The operation on the values of the right key path, which is not complete yet.
    private var pending: CollectionOperator?
    private var isComplete = false
    /// The number of levels by which the expression has grown.
    private(set) var levels = 0

    private enum CollectionOperator {
        case function(DataStorePredicate.Function)
        case values
    }

    /// The collection operators.
    static let operators: Set<String> = [
        "count", "sum", "avg", "min", "max", "unionOfObjects", "distinctUnionOfObjects",
        "firstObject", "lastObject",
    ]

    /// The collection operators, for messages.
    static let operatorList = """
        @count, @sum, @avg, @min, @max, @unionOfObjects, @distinctUnionOfObjects, @firstObject and @lastObject
        """

    /// A path that begins at the value of an expression, or at the item.
    init(from base: Expression? = nil) { self.base = base }

    /// Whether the path is still empty.
    var isEmpty: Bool { base == nil && names.isEmpty }

    /// Adds a name, and returns its fault, if there is one.
    mutating func append(name: String) -> String? {
        if isComplete { return "Nothing can follow @count." }
        if pending != nil, names.isEmpty, name.lowercased() == "self" {
            // The element itself, so that a further name is one of the element.
            return nil
        }
        names.append(name)
        return nil
    }

    /// Adds a key path with dots, and returns its fault, if there is one.
    mutating func append(keyPath text: String) -> String? {
        let path = DataStorePredicate.AttributePath(dotted: text)
        if let problem = path.problem { return problem }
        for part in path.components {
            let problem =
                part.hasPrefix("@")
                ? append(operator: String(part.dropFirst())) : append(name: part)
            if let problem { return problem }
        }
        return nil
    }

    /// Adds an operator, and returns its fault, if there is one.
    mutating func append(operator name: String) -> String? {
        if isEmpty { return "“@\(name)” needs a key path before it, as in tags.@count." }
        if isComplete { return "Nothing can follow @count." }
        settle()
        switch name {
        case "count":
            base = base?.counted
            isComplete = true
        case "sum": pending = .function(.sum)
        case "avg": pending = .function(.average)
        case "min": pending = .function(.minimum)
        case "max": pending = .function(.maximum)
        case "unionOfObjects": pending = .values
        case "distinctUnionOfObjects": pending = .function(.distinct)
        case "firstObject": base = base.map { .element(of: $0, .first) }
        case "lastObject": base = base.map { .element(of: $0, .last) }
        default:
            return """
                The collection operator “@\(name)” is not supported; there are \(Self.operatorList).
                """
        }
        levels += 1
        return nil
    }

    /// Adds an index in brackets.
    mutating func append(_ index: DataStorePredicate.Index) {
        settle()
        base = .element(of: expression, index)
        isComplete = false
        levels += 1
    }

    /// Adds `[SIZE]`.
    mutating func appendSize() {
        settle()
        base = expression.counted
        isComplete = true
        levels += 1
    }

    /// The whole path so far.
    var expression: Expression {
        let path = base?.appending(names) ?? .path(.init(names))
        return switch pending {
        case .function(let function): .function(function, [path])
        case .values, nil: path
        }
    }

    private mutating func settle() {
        base = expression
        names = []
        pending = nil
    }
}
