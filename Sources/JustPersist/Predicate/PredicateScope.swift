/// What an evaluation carries along: the values of SUBQUERY's variables, and how much work it was.
struct PredicateScope {
    private var variables: [(name: String, value: DataStoreValue)] = []
    private var steps = 0
    /// The step at which the limits of the request are looked at next.
    private var nextCheck = 1024

    /// What one evaluation may take: SUBQUERYs inside one another multiply, and a short text could go on for ever.
    private static let mostSteps = 500_000

    /// Whether it is one of the evaluations that a SUBQUERY makes.
    var isInSubquery: Bool { !variables.isEmpty }

    /// The value of the innermost variable of a name; null if there is none.
    func value(of name: String) -> DataStoreValue {
        variables.last { $0.name == name }?.value ?? .null
    }

    /// Notes that elements of a collection were looked at; outside of a SUBQUERY that does not multiply.
    mutating func count(_ elements: Int) throws(DataStoreError) {
        if isInSubquery { try add(elements) }
    }

    /// Notes how often the progress of a search by a regular expression was reported beyond what its text explains.
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

    /// Adds a variable, and returns its place.
    mutating func push(_ name: String) -> Int {
        variables.append((name, .null))
        return variables.count - 1
    }

    /// Takes the last variable away, which nobody needs after an error.
    mutating func pop() { variables.removeLast() }

    /// Gives the variable at a place the next element of a collection.
    mutating func set(_ element: DataStoreValue, at place: Int) throws(DataStoreError) {
        try count(1)
        variables[place].value = element
    }
}
