import JustPersist

/// Finds what a store holds and another one cannot take.
struct MigrationCheck {
    private let capabilities: DataStoreCapabilities
    private var findings: [String] = []

    private init(_ capabilities: DataStoreCapabilities) { self.capabilities = capabilities }

    /// Throws an error that lists everything in `source` that a store with those capabilities lacks.
    ///
    /// Reads the values only if there are kinds that it does not hold.
    static func run(
        _ source: borrowing DataStoreReader, _ schemas: [ItemSchema],
        against capabilities: DataStoreCapabilities
    ) throws {
        var check = MigrationCheck(capabilities)
        for schema in schemas { check.checkNames(in: schema) }
        if !Set(DataStoreValue.Kind.allCases).isSubset(of: capabilities.valueKinds) {
            for schema in schemas { try check.checkKinds(of: schema.itemTypeKey, in: source) }
        }
        let findings = check.findings
        if findings.isEmpty { return }
        throw DataStoreError(
            .unsupported, in: "migrate",
            """
            The target cannot hold everything, and nothing was written: \
            \(findings.joined(separator: "; ")). Change the source, or choose another target.
            """)
    }

    private mutating func checkNames(in schema: ItemSchema) {
        let limit = capabilities.limits.nameBytes
        for name in [schema.itemTypeKey] + schema.attributes.map(\.name)
        where name.utf8.count > limit {
            findings.append("the name “\(name)” has more than \(limit) bytes")
        }
    }

    private mutating func checkKinds(
        of itemType: String, in source: borrowing DataStoreReader
    ) throws {
        var kinds: [String: Set<DataStoreValue.Kind>] = [:]
        try source.forEach(DataStoreRequest(itemTypeKey: itemType)) { item in
            for (name, value) in try item.storedValues() {
                Self.collect(value, into: &kinds[name, default: []])
            }
        }
        for (name, found) in kinds.sorted(by: { $0.key < $1.key }) {
            let excess = found.subtracting(capabilities.valueKinds).map { "\($0)" }.sorted()
            if excess.isEmpty { continue }
            findings.append(
                "“\(itemType).\(name)” has values of kind \(excess.joined(separator: ", "))")
        }
    }

    private static func collect(
        _ value: DataStoreValue, into kinds: inout Set<DataStoreValue.Kind>
    ) {
        kinds.insert(value.kind)
        switch value {
        case .array(let values): for value in values { collect(value, into: &kinds) }
        case .dictionary(let values): for value in values.values { collect(value, into: &kinds) }
        default: break
        }
    }
}
