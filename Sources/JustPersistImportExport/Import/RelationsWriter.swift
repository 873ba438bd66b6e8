import JustPersist

/// Finds the items to which rows refer by keys, and relates the rows' items to them.
///
/// As an ``ItemsWriter``, it remembers its declarations.
struct RelationsWriter {
    /// The rows of a batch, by what can be done with them.
    struct Plan {
        /// The rows that can be written: each item that they refer to exists, or is that of another one of them.
        var rows: [ImportRow] = []
        /// The rows that refer to rows that were not read yet.
        var deferred: [ImportRow] = []
        var refused: [(row: ImportRow, error: DataStoreError)] = []
    }

    /// The item that a row refers to by a relation, as a place in the relation's look-up.
    private struct Need: Hashable {
        let relation: Int
        let place: Int
    }

    private let type: ItemType
    private let key: String?
    private var relations: [ItemImport.Relation]
    /// The writers of the items that are nested in rows, which rows may refer to as to those of other rows.
    private let nested: [String: ItemsWriter]
    private var isDeclared = false
    /// The items of the rows that were deferred; later rows about them are deferred, too.
    private var deferredOwners: Set<String> = []
    /// The attributes by which items are found without regard to case.
    private var ignoringCase: Set<String> = []
    /// The kinds of the keys in the store, by relationship.
    private var keyKinds: [String: Set<DataStoreValue.Kind>] = [:]

    init(
        _ type: ItemType, key: String?, _ relations: [ItemImport.Relation],
        nested: [String: ItemsWriter]
    ) {
        self.type = type
        self.key = key
        self.relations = relations
        self.nested = nested
    }

    private func leadsToOwnType(_ relation: ItemImport.Relation) -> Bool {
        relation.destination == type.key
    }

    // MARK: Declaring

    /// Throws if the relationships cannot be imported into a store.
    ///
    /// - Parameter count: The number of items of the rows' type.
    mutating func check(_ schemas: [ItemSchema], count: Int) throws(DataStoreError) {
        func schema(_ key: String) -> ItemSchema? { schemas.schema(ofType: key) }
        relations = relations.map { relation in
            var relation = relation
            if let present = schema(relation.destination)?.itemTypeKey {
                relation.relationship = relation.relationship.leading(to: present)
            }
            return relation
        }
        for (place, relation) in relations.enumerated() {
            if relations[..<place].contains(where: { $0.name == relation.name }) {
                throw error(
                    "“\(relation.name)” is given twice. Leave one of the two out.", relation)
            }
            if let other = relations[..<place].first(where: { $0.column == relation.column }) {
                throw error(
                    """
                    “\(relation.column)” is the column of “\(other.name)” and of “\(relation.name)”. Relate the items by one of \
                    them.
                    """, relation)
            }
            let isKnown = schema(type.key)?.relationships.contains { $0.name == relation.name }
            if let problem = ImportRow.problem(
                withName: relation.name, isKnown: isKnown ?? false)
            {
                throw error(
                    "“\(relation.name)” cannot be the name of a relationship: \(problem.reason). Choose another name.",
                    relation)
            }
            if let known = schema(type.key) { try check(relation, known) }
            let other = schema(relation.destination)
            if let inverse = relation.inverse, let other { try check(inverse, relation, other) }
            guard let key = relation.key else { continue }
            keyKinds[relation.name] = other?.attribute(named: key)?.storedKinds
            let rule = other?.indexes.first { $0.isUnique && $0.attributes == [key] }
            if rule?.ignoresCase == true { ignoringCase.insert(relation.name) }
            if rule != nil || leadsToOwnType(relation) && count == 0 { continue }
            if other == nil, nested.declareUnique(key, of: relation.destination) { continue }
            guard other != nil else {
                throw error(
                    """
                    The store has no type “\(relation.destination)”, to which “\(relation.name)” of “\(type.key)” leads. \
                    Import its items first.
                    """, relation)
            }
            throw error(
                """
                “\(key)” of “\(relation.destination)” is not unique, so no item can be found by it. Declare it unique first: \
                justpersist index add STORE \(relation.destination) \(key) --unique.
                """, relation)
        }
    }

    private func check(
        _ relation: ItemImport.Relation, _ schema: ItemSchema
    ) throws(DataStoreError) {
        if let known = schema.relationships.first(where: { $0.name == relation.name }) {
            if known.destination == relation.destination,
                known.isToMany == relation.relationship.isToMany
            {
                return try checkRule(relation.relationship, known, of: type.key, relation)
            }
            throw error(
                """
                “\(relation.name)” of “\(type.key)” is a relationship \(known.isToMany ? "to many items" : "to one item") of \
                “\(known.destination)” in the store. Import it as that.
                """, relation)
        }
        let kinds = schema.attribute(named: relation.name)?.storedKinds ?? []
        if relation.relationship.isToMany
            ? schema.attribute(named: relation.name) == nil
            : kinds.isSubset(of: [.reference, .null])
        {
            return
        }
        throw error(
            """
            “\(relation.name)” is an attribute of “\(type.key)” in the store already. Give the relationship another name.
            """, relation)
    }

    private func check(
        _ inverse: RelationshipSchema, _ relation: ItemImport.Relation, _ schema: ItemSchema
    ) throws(DataStoreError) {
        guard let known = schema.relationships.first(where: { $0.name == inverse.name }) else {
            if schema.attribute(named: inverse.name) == nil { return }
            throw error(
                """
                “\(inverse.name)” is an attribute of “\(schema.itemTypeKey)” in the store already. Give the inverse another \
                name.
                """, relation)
        }
        if known.destination == type.key, known.isToMany == inverse.isToMany,
            known.inverse ?? relation.name == relation.name
        {
            return try checkRule(inverse, known, of: schema.itemTypeKey, relation)
        }
        throw error(
            """
            “\(inverse.name)” of “\(schema.itemTypeKey)” is another relationship in the store than the inverse of \
            “\(relation.name)”. Give the inverse another name.
            """, relation)
    }

    private func checkRule(
        _ wanted: RelationshipSchema, _ known: RelationshipSchema, of owner: String,
        _ relation: ItemImport.Relation
    ) throws(DataStoreError) {
        guard relation.requiredRules.contains(wanted.name), known.deleteRule != wanted.deleteRule
        else { return }
        throw error(
            """
            “\(wanted.name)” of “\(owner)” has the delete rule \(known.deleteRule.rawValue) in the store, and not \
            \(wanted.deleteRule.rawValue). Import it without a rule, or change the rule first: \
            justpersist delete-rule STORE \(owner) \(wanted.name) \(wanted.deleteRule.rawValue).
            """, relation)
    }

    private func error(
        _ message: String, _ relation: ItemImport.Relation
    ) -> DataStoreError {
        DataStoreError(
            .invalidRequest, in: "import", message, itemType: type.key, attribute: relation.name)
    }

    /// Declares the relationships that the types lack.
    ///
    /// The type of the rows must be declared.
    mutating func declare(
        in db: borrowing some DataStoreReadWriteAccessor & ~Copyable
    ) throws(DataStoreError) {
        if isDeclared { return }
        isDeclared = true
        for relation in relations {
            let schemas = try db.schemas()
            func isMissing(_ name: String, of key: String) -> Bool {
                schemas.first { $0.itemTypeKey == key }?.relationships
                    .contains { $0.name == name } != true
            }
            if isMissing(relation.name, of: type.key) {
                try db.declare(
                    ItemSchema(type.key, attributes: [], relationships: [relation.relationship]))
            }
            if let inverse = relation.inverse, isMissing(inverse.name, of: relation.destination) {
                try db.declare(
                    ItemSchema(relation.destination, attributes: [], relationships: [inverse]))
            }
            let other = relation.destination
            guard let key = relation.key,
                leadsToOwnType(relation) || nested.declareUnique(key, of: other)
            else { continue }
            let rule = IndexSchema([key], isUnique: true)
            let known = schemas.first { $0.itemTypeKey == other }
            if known?.indexes.contains(where: { $0.isUnique && $0.attributes == [key] }) != true {
                let attributes =
                    known?.attribute(named: key) == nil ? [AttributeSchema(key)] : []
                try db.declare(ItemSchema(other, attributes: attributes, indexes: [rule]))
            }
        }
    }

    // MARK: Rows

    /// Decides which rows can be written.
    ///
    /// - Parameter defers: Whether more rows follow, to which these may refer.
    mutating func plan(
        _ rows: [ImportRow], defers: Bool,
        in db: borrowing some DataStoreReadWriteAccessor & ~Copyable
    ) throws(DataStoreError) -> Plan {
        var plan = Plan()
        var providers: [Need: Int] = [:]
        var provided: [[Need]] = Array(repeating: [], count: rows.count)
        var needing: [Need: [Int]] = [:]
        var values: [Need: DataStoreValue] = [:]
        /// What a row needs and does not get.
        var missing: [Int: Need] = [:]
        var errors: [Int: DataStoreError] = [:]
        for (number, relation) in relations.enumerated() {
            guard let key = relation.key else { continue }
            var keys: [DataStoreValue] = []
            var owners: [(row: Int, isOwn: Bool)] = []
            for (place, row) in rows.enumerated() {
                for value in row.keys(of: number) {
                    keys.append(value)
                    owners.append((place, false))
                }
                let own = leadsToOwnType(relation) ? row.values(of: key) : []
                for value in own + nested.values(of: key, ofType: relation.destination, in: row) {
                    keys.append(value)
                    owners.append((place, true))
                }
            }
            if keys.isEmpty { continue }
            let (places, items) = try db.lookUp(
                ItemType(dynamic: relation.destination), key, values: keys,
                ignoringCase: ignoringCase.contains(relation.name))
            for (index, owner) in owners.enumerated() where items[places[index]] == nil {
                let need = Need(relation: number, place: places[index])
                if owner.isOwn {
                    providers[need, default: 0] += 1
                    provided[owner.row].append(need)
                } else if leadsToOwnType(relation) || nested.write(relation.destination) {
                    needing[need, default: []].append(owner.row)
                    values[need] = keys[index]
                } else if errors[owner.row] == nil {
                    errors[owner.row] = noItem(keys[index], relation)
                }
            }
        }
        // A row is left out if a row that it needs is.
        let rowOwners = rows.map(owner)
        var isOut = rows.indices.map { place in
            errors[place] != nil || rowOwners[place].map(deferredOwners.contains) == true
        }
        var pending = rows.indices.filter { isOut[$0] }
        for (need, places) in needing where providers[need] == nil {
            for place in places where !isOut[place] {
                isOut[place] = true
                missing[place] = need
                pending.append(place)
            }
        }
        // The rows of an item keep their order: a later one waits for one that waits.
        var rowsOfOwner: [String: [Int]] = [:]
        if defers, !pending.isEmpty {
            for (place, owner) in rowOwners.enumerated() {
                if let owner { rowsOfOwner[owner, default: []].append(place) }
            }
        }
        while let place = pending.popLast() {
            if errors[place] == nil, let owner = rowOwners[place] {
                for later in rowsOfOwner[owner] ?? [] where later > place && !isOut[later] {
                    isOut[later] = true
                    pending.append(later)
                }
            }
            for need in provided[place] {
                providers[need, default: 0] -= 1
                guard providers[need] == 0 else { continue }
                for place in needing[need] ?? [] where !isOut[place] {
                    isOut[place] = true
                    missing[place] = need
                    pending.append(place)
                }
            }
        }
        for (place, row) in rows.enumerated() {
            if !isOut[place] {
                plan.rows.append(row)
            } else if let error = errors[place] {
                plan.refused.append((row, error))
            } else if defers {
                plan.deferred.append(row)
                if let owner = rowOwners[place] { deferredOwners.insert(owner) }
            } else if let need = missing[place], let value = values[need] {
                plan.refused.append((row, noItem(value, relations[need.relation])))
            }
        }
        return plan
    }

    /// Forgets which items have deferred rows, before these are written.
    mutating func endDeferring() { deferredOwners = [] }

    /// What identifies the item of a row.
    private func owner(_ row: ImportRow) -> String? {
        if let id = row.id { return id.description }
        guard let key, let value = row.members.last(where: { $0.name == key })?.value else {
            return nil
        }
        return value.jsonText
    }

    private func noItem(
        _ value: DataStoreValue, _ relation: ItemImport.Relation
    ) -> DataStoreError {
        let kinds = keyKinds[relation.name] ?? []
        let isOfOtherKind = !kinds.isEmpty && kinds.allSatisfy { value.exactly(as: $0) == nil }
        let kind =
            isOfOtherKind
            ? " The value is of kind \(value.kind), and theirs are of kind \(kinds.map { "\($0)" }.sorted().listed)."
            : ""
        let column =
            relation.column == relation.key
            ? " If another column of the rows has the keys, name it as the relation's column." : ""
        return DataStoreError(
            .invalidInput, in: "import",
            """
            There is no item of “\(relation.destination)” whose “\(relation.key ?? "")” is \(value.excerpt), to which \
            “\(relation.name)” (“\(relation.column)”) refers.\(kind) Import that item first, or correct the row.\(column)
            """, itemType: type.key, attribute: relation.name)
    }

    /// Relates the items of rows, which exist now.
    ///
    /// - Parameter refused: Set to the row that was refused, if this throws because of one.
    func write(
        _ rows: [ImportRow], _ items: [any DataStoreItem],
        in db: borrowing some DataStoreReadWriteAccessor & ~Copyable, _ refused: inout ImportRow?
    ) throws(DataStoreError) {
        for (number, relation) in relations.enumerated() {
            let known = try db.relation(relation.name, of: type)
            var found: (places: [Int], items: [(any DataStoreItem)?]) = ([], [])
            if let key = relation.key {
                found = try db.lookUp(
                    ItemType(dynamic: relation.destination), key,
                    values: rows.flatMap { $0.keys(of: number) },
                    ignoringCase: ignoringCase.contains(relation.name))
            }
            var next = 0
            for (row, item) in zip(rows, items) {
                guard let link = row.links.first(where: { $0.relation == number }) else { continue }
                var others: [ItemReference] = []
                for value in link.values {
                    if case .reference(let reference) = value {
                        others.append(reference)
                        continue
                    }
                    let other = found.items[found.places[next]]
                    next += 1
                    guard let other else {
                        refused = row
                        throw noItem(value, relation)
                    }
                    others.append(ItemReference(to: other))
                }
                do throws(DataStoreError) {
                    if relation.relationship.isToMany {
                        try db.addRelated(known, of: item, others)
                    } else {
                        try db.setRelated(
                            known, of: item,
                            toValue: others.first.map { .reference($0) } ?? .null)
                    }
                } catch {
                    refused = row
                    throw error
                }
            }
        }
    }
}

extension ImportRow {
    /// The values by which a relation's other items are found.
    fileprivate func keys(of relation: Int) -> [DataStoreValue] {
        guard let link = links.first(where: { $0.relation == relation }) else { return [] }
        return link.values.filter { $0.kind != .reference }
    }
}
