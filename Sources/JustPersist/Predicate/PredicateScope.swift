/// The state of an evaluation: the values of SUBQUERY's variables, and the number of steps.
struct PredicateScope {
    private var variables: [(name: String, value: DataStoreValue)] = []
    private var steps = 0
    /// The step at which the limits of the request are checked next.
    private var nextCheck = 1024

    /// The limit of one evaluation: nested SUBQUERYs multiply, and a short text could run forever.
    private static let mostSteps = 500_000

    /// Whether this is an evaluation inside a SUBQUERY.
    var isInSubquery: Bool { !variables.isEmpty }

    /// The value of the innermost variable with a name; null if there is none.
    func value(of name: String) -> DataStoreValue {
        variables.last { $0.name == name }?.value ?? .null
    }

    /// Counts elements of a collection, unless outside of a SUBQUERY, where the number does not multiply.
    mutating func count(_ elements: Int) throws(DataStoreError) {
        if isInSubquery { try add(elements) }
    }

    /// Counts the progress reports of a regular expression search that exceed the allowance for the length of its text.
    mutating func count(reports: Int) throws(DataStoreError) { try add(reports * 1_000) }

    private mutating func add(_ count: Int) throws(DataStoreError) {
        steps += count
        if steps >= nextCheck {
            nextCheck = steps + 1024
            try WorkLimit.check()
        }
        guard steps > Self.mostSteps else { return }
        throw DataStoreError(
            .limitExceeded, in: "predicate",
            """
            The predicate takes more than \(Self.mostSteps) steps for one item, which is the limit; write it without \
            SUBQUERYs inside one another and without costly regular expressions, or filter the items.
            """)
    }

    /// Adds a variable, and returns its index.
    mutating func push(_ name: String) -> Int {
        variables.append((name, .null))
        return variables.count - 1
    }

    /// Removes the last variable; not needed after an error.
    mutating func pop() { variables.removeLast() }

    /// Sets the variable at an index to the next element of a collection.
    mutating func set(_ element: DataStoreValue, at place: Int) throws(DataStoreError) {
        try count(1)
        variables[place].value = element
    }
}
