import JustPersist

/// Finds the contents of a store that another store cannot hold.
struct MigrationCheck {
    private let source: DataStoreCapabilities
    private let target: DataStoreCapabilities
    private var findings: [String] = []

    private init(from source: DataStoreCapabilities, to target: DataStoreCapabilities) {
        self.source = source
        self.target = target
    }

    /// Throws an error that lists everything in `source` that the target of a migration cannot hold.
    ///
    /// Reads the values only if there are kinds that the target does not hold, or its limits are lower; and walks through
    /// each unique index if the target enforces uniqueness.
    static func run(
        _ migration: Migration, _ source: borrowing DataStoreReader, _ schemas: [ItemSchema],
        _ progress: inout MigrationProgress, _ report: (MigrationProgress) throws -> Void
    ) throws {
        var check = MigrationCheck(
            from: migration.source.capabilities, to: migration.target.capabilities)
        let interval = migration.batchSize
        for schema in schemas { check.checkDeclaration(schema) }
        if check.concernsValues {
            progress.begin(.checking)
            for schema in schemas {
                try check.checkValues(of: schema.itemTypeKey, in: source) {
                    try progress.noteChecked(schema.itemTypeKey, every: interval, report)
                }
            }
        }
        if check.target.enforcesUniqueness {
            progress.begin(.checking)
            for schema in schemas {
                for index in schema.indexes where index.isUnique {
                    try check.checkUniqueness(of: schema, UniqueIndex(index), in: source) {
                        try progress.noteChecked(schema.itemTypeKey, every: interval, report)
                    }
                }
            }
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

    private var limits: DataStoreLimits { target.limits }

    /// Whether there may be values that the target cannot hold.
    private var concernsValues: Bool {
        !Set(DataStoreValue.Kind.allCases).isSubset(of: target.valueKinds)
            || limits.valueBytes < source.limits.valueBytes
            || limits.writeBlockBytes < source.limits.writeBlockBytes
            || limits.nameBytes < source.limits.nameBytes
    }

    // MARK: Declarations

    private mutating func checkDeclaration(_ schema: ItemSchema) {
        let key = schema.itemTypeKey
        var names = [key] + schema.formerTypeKeys
        for attribute in schema.attributes { names += [attribute.name] + attribute.formerNames }
        for name in names where name.utf8.count > limits.nameBytes {
            findings.append("the name “\(name)” has more than \(limits.nameBytes) bytes")
        }
        for attribute in schema.attributes {
            guard let value = attribute.defaultValue else { continue }
            var found = Found(limits)
            found.add(value, ofAttribute: attribute.name, key)
            for fault in found.faults(lacking: target.valueKinds) {
                findings.append("the default of “\(key).\(attribute.name)” \(fault)")
            }
        }
    }

    // MARK: Values

    /// The findings in the values of one attribute.
    private struct Found {
        private let limits: DataStoreLimits
        private var kinds: Set<DataStoreValue.Kind> = []
        /// A key of a referenced type that is too long, if there is one.
        private var longKey: String?
        private var tooLarge = 0

        init(_ limits: DataStoreLimits) { self.limits = limits }

        /// Adds a value; returns its size.
        @discardableResult
        mutating func add(_ value: DataStoreValue, ofAttribute name: String, _ type: String) -> Int
        {
            collect(value)
            do throws(DataStoreError) {
                return try limits.check(value, for: name, of: type)
            } catch {
                tooLarge += 1
                return limits.valueBytes
            }
        }

        private mutating func collect(_ value: DataStoreValue) {
            kinds.insert(value.kind)
            switch value {
            case .array(let values): for value in values { collect(value) }
            case .dictionary(let values): for value in values.values { collect(value) }
            case .reference(let reference):
                if reference.itemTypeKey.utf8.count > limits.nameBytes {
                    longKey = reference.itemTypeKey
                }
            default: break
            }
        }

        func faults(lacking held: Set<DataStoreValue.Kind>) -> [String] {
            var faults: [String] = []
            let excess = kinds.subtracting(held).map { "\($0)" }.sorted()
            if !excess.isEmpty {
                faults.append("has values of kind \(excess.joined(separator: ", "))")
            }
            if tooLarge > 0 {
                faults.append("has values (\(tooLarge)) of more than \(limits.valueBytes) bytes")
            }
            if let longKey {
                faults.append(
                    "refers to items of “\(longKey)”, a name of more than \(limits.nameBytes) bytes"
                )
            }
            return faults
        }
    }

    private mutating func checkValues(
        of itemType: String, in source: borrowing DataStoreReader, _ note: () throws -> Void
    ) throws {
        var found: [String: Found] = [:]
        var tooLarge = 0
        let limits = limits
        try source.forEach(DataStoreRequest(itemTypeKey: itemType)) { item in
            var size = 0
            try item.backing.forEachValue { (name, value) throws(DataStoreError) in
                if value.isNull { return }
                size += found[name, default: Found(limits)].add(
                    value, ofAttribute: name, itemType)
            }
            if size > limits.writeBlockBytes { tooLarge += 1 }
            try note()
        }
        for (name, found) in found.sorted(by: { $0.key < $1.key }) {
            for fault in found.faults(lacking: target.valueKinds) {
                findings.append("“\(itemType).\(name)” \(fault)")
            }
        }
        if tooLarge > 0 {
            findings.append(
                """
                “\(itemType)” has items (\(tooLarge)) of more than the \(limits.writeBlockBytes) bytes of a write block
                """)
        }
    }

    // MARK: Uniqueness

    /// Finds items that violate unique indexes, which a source may have if they are older than the declaration.
    private mutating func checkUniqueness(
        of schema: ItemSchema, _ index: UniqueIndex, in source: borrowing DataStoreReader,
        _ note: () throws -> Void
    ) throws {
        let key = schema.itemTypeKey
        guard let request = index.sorted(key, by: self.source.textOrders) else { return }
        var last: (id: ItemID, values: [DataStoreValue])?
        var first: (ItemID, ItemID)?
        var count = 0
        try source.forEach(request) { item in
            try note()
            guard let values = try index.values(of: item) else { return }
            if let last, index.areEqual(last.values, values) {
                count += 1
                if first == nil { first = (last.id, item.uniqueToken) }
            }
            last = (item.uniqueToken, values)
        }
        guard let first else { return }
        findings.append(
            """
            “\(key)” has items (\(count)) with the same \(index.names) as another one, which is declared unique, such as \
            \(first.0) and \(first.1)
            """)
    }
}
