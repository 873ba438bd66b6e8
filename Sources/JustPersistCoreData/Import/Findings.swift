import JustPersist

/// The findings in the rows of a store.
struct Findings {
    /// A property of a type, or a list of them.
    struct Property: Hashable {
        let kind: String
        let name: String
    }

    /// A reason to mention rows in the report.
    enum Matter: Hashable {
        /// A value that is not what the model says.
        case odd(AttributeReader.Oddity)
        /// There is no value, though the model demands one.
        case null
        /// The values are those of another row, though the model demands that they are unique.
        case equal
        /// A key leads to no row.
        case missingRow
        /// A key leads to a row of an entity to which the relationship cannot lead.
        case otherEntity
        /// A value of a relationship is no key.
        case noKey
        /// Only one of the two rows knows the pair.
        case oneSided
        /// The two sides contradict each other.
        case contradicting
    }

    /// The rows with one matter.
    struct Tally {
        private(set) var count = 0
        /// The keys of the first of them.
        private(set) var rows: [Int64] = []

        mutating func add(_ row: Int64) {
            count += 1
            if rows.count < 5 { rows.append(row) }
        }
    }

    /// The number of rows of each type.
    var rows: [String: Int] = [:]
    /// The ends of links by relationship.
    var ends: [Property: Int] = [:]
    /// The ends of each item, for relationships with limits.
    var counts: [Property: [Int64: Int]] = [:]
    /// The values that the model declares unique, by type.
    var unique: [String: UniqueValues] = [:]
    private(set) var tallies: [Property: [Matter: Tally]] = [:]

    /// Notes a row.
    mutating func add(_ matter: Matter, _ property: Property, _ row: Int64) {
        tallies[property, default: [:]][matter, default: Tally()].add(row)
    }

    /// The rows that were noted.
    subscript(_ property: Property, _ matter: Matter) -> Tally? { tallies[property]?[matter] }

    /// Notes the values of a row that the model declares unique.
    mutating func noteUnique(_ row: ItemSource.Row, of kind: String) {
        unique[kind]?.add(row.key) { name in row.values[name] ?? .null }
    }

    /// Notes the rows whose unique values agree, when all rows are known.
    mutating func concludeUnique() {
        for (kind, values) in unique {
            for (index, rows) in values.agreements {
                let property = Property(kind: kind, name: index.attributes.joined(separator: ", "))
                for row in rows { add(.equal, property, row) }
            }
        }
    }
}

extension Findings.Matter {
    /// The remark of the report.
    var text: String {
        switch self {
        case .odd(.otherKind):
            "is of another kind than the model says: kept as it is stored, in an attribute of any kind"
        case .odd(.rounded):
            "has more digits than the store keeps exactly: the shortest number that the store has"
        case .odd(.archived): "is an archive with classes that cannot be read here: kept as data"
        case .odd(.missingFile):
            "is in a file that does not exist, or that has more bytes than a store keeps: null"
        case .null: "is null although the model demands a value: declared optional"
        case .equal:
            "is equal in several rows although the model demands that it is unique: not declared unique"
        case .missingRow: "leads to rows that do not exist: left out"
        case .otherEntity: "leads to rows of another entity than the model says: left out"
        case .noKey: "has a value that is no key of a row: left out"
        case .oneSided: "is in one of two related rows only: set in both"
        case .contradicting:
            "contradicts the other side, or leads where another row leads: left out"
        }
    }
}
