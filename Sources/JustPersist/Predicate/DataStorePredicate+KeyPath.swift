extension DataStorePredicate.Expression {
    /// The key path written with dots, collection operators such as `@avg` included.
    init(keyPath text: String) throws(DataStoreError) {
        var path = PredicateKeyPath()
        if let problem = path.append(keyPath: text) {
            throw DataStoreError(.invalidPredicate, in: "predicate", problem)
        }
        self = path.expression
    }
}

/// A key path on the way, from its start on: names, and collection operators between them.
///
/// The operators are those of key-value coding (Key-Value Coding Programming Guide, "Using Collection Operators"). The
/// names behind an operator are its right key path, which leads on from each element, and `self` there is the element.
struct PredicateKeyPath {
    typealias Expression = DataStorePredicate.Expression

    /// What the names begin at; `nil` for the item.
    private var base: Expression?
    private var names: [String] = []
    /// What happens to the values at the right key path that is still to come.
    private var pending: CollectionOperator?
    private var isComplete = false
    /// How many levels the expression has grown.
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

    /// The same in words.
    static let operatorList = """
        @count, @sum, @avg, @min, @max, @unionOfObjects, @distinctUnionOfObjects, @firstObject and @lastObject
        """

    /// A path that begins at the value of an expression, or at the item.
    init(from base: Expression? = nil) { self.base = base }

    /// Whether there is nothing yet.
    var isEmpty: Bool { base == nil && names.isEmpty }

    /// Adds a name, and returns what is wrong with it.
    mutating func append(name: String) -> String? {
        if isComplete { return "Nothing can stand behind @count." }
        if pending != nil, names.isEmpty, name.lowercased() == "self" {
            // The element itself, so that another name behind it is one of the element.
            return nil
        }
        names.append(name)
        return nil
    }

    /// Adds a key path written with dots, and returns what is wrong with it.
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

    /// Adds an operator, and returns what is wrong with it.
    mutating func append(operator name: String) -> String? {
        if isEmpty { return "“@\(name)” needs a key path before it, as in tags.@count." }
        if isComplete { return "Nothing can stand behind @count." }
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

    /// Adds brackets.
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
