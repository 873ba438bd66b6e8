import JustPersist

/// Converts the objects of a file to rows by a mapping; without a mapping, the members are unchanged.
struct ItemMapper {
    /// An attribute with its source.
    struct Rule {
        enum Use {
            case value(kinds: Set<DataStoreValue.Kind>, DateReader?, ItemMapping.Source.Transform?)
            case items(ItemMapper, isList: Bool)
        }

        let attribute: String
        let keyPaths: [String]
        let defaultValue: DataStoreValue?
        let use: Use
    }

    let type: ItemType
    /// The attribute that identifies the item of a row.
    let key: String?
    let mapping: ItemMapping?
    /// The rules, in the order of the attributes' names.
    let rules: [Rule]
    /// The declared kinds of the attributes.
    private let declared: [String: Set<DataStoreValue.Kind>]
    private let keyPaths: Set<String>
    /// The relationships whose items are found by keys.
    let relations: [ItemImport.Relation]
    /// The kinds of the keys of ``relations``; empty for any.
    private let relationKinds: [Set<DataStoreValue.Kind>]

    /// A mapper for a type with the schemas in a store.
    ///
    /// - Throws: `.unknownAttribute` if the mapping names an attribute that the class does not have.
    init(
        _ type: ItemType, _ mapping: ItemMapping?, key: String? = nil,
        relations: [ItemImport.Relation] = [], schemas: [ItemSchema]
    ) throws(DataStoreError) {
        self.relations = relations
        relationKinds = relations.map { relation in
            guard let key = relation.key else { return [.reference, .uuid] }
            let schema = schemas.first { $0.itemTypeKey == relation.destination }
            return schema?.attribute(named: key)?.kinds.subtracting([.null]) ?? []
        }
        self.type = type
        self.mapping = mapping
        self.key = key ?? mapping?.key
        let schema = type.schema ?? schemas.schema(ofType: type.key)
        var declared: [String: Set<DataStoreValue.Kind>] = [:]
        for attribute in schema?.attributes ?? [] {
            declared[attribute.name] = attribute.kinds.subtracting([.null])
        }
        for relationship in schema?.relationships ?? [] where relationship.isToMany {
            declared[relationship.name] = [.array]
        }
        self.declared = declared
        var rules: [Rule] = []
        for (attribute, source) in (mapping?.attributes ?? [:]).sorted(by: { $0.key < $1.key }) {
            if type.schema != nil, declared[attribute] == nil, attribute != JSONTag.id {
                throw DataStoreError(
                    .unknownAttribute, in: "import",
                    """
                    “\(type.key)” has no attribute “\(attribute)”, which the mapping names. Its attributes are \
                    \(declared.keys.sorted().listed).
                    """, itemType: type.key, attribute: attribute)
            }
            if let problem = ImportRow.problem(
                withName: attribute, isKnown: declared[attribute] != nil)
            {
                throw DataStoreError(
                    .invalidRequest, in: "import",
                    "The mapping names an attribute: \(problem.reason). Choose another name.",
                    itemType: type.key, attribute: attribute)
            }
            let use: Rule.Use
            switch source.use {
            case .value(let kinds, let formats, let transform):
                use = .value(
                    kinds: kinds.isEmpty ? declared[attribute] ?? [] : kinds,
                    formats.isEmpty ? nil : DateReader(formats), transform)
            case .items(let type, let mapping, let isList):
                use = .items(try ItemMapper(type, mapping, schemas: schemas), isList: isList)
            }
            rules.append(
                Rule(
                    attribute: attribute,
                    keyPaths: source.keyPaths.isEmpty ? [attribute] : source.keyPaths,
                    defaultValue: source.defaultValue, use: use))
        }
        self.rules = rules
        keyPaths = Set(rules.flatMap(\.keyPaths))
    }

    // MARK: Columns

    /// Whether a source names the key.
    func names(_ key: String) -> Bool { keyPaths.contains(key) }

    /// Whether a column is not stored: a relationship's, or one that the mapping leaves out.
    func drops(_ column: String) -> Bool {
        column != key
            && (relations.contains { $0.column == column } || mapping?.keepsOtherKeys == false)
    }

    /// Whether the type has an attribute with the key's name.
    func knows(_ key: String) -> Bool { declared[JSONTag.attribute(key)] != nil }

    /// The attribute for a column of a table.
    func attribute(ofColumn name: String) -> String {
        rules.first { $0.keyPaths.contains(name) }?.attribute ?? JSONTag.attribute(name)
    }

    /// The kinds to read the cells of a column as; empty for any.
    func kinds(ofColumn name: String) -> Set<DataStoreValue.Kind> {
        let rule = rules.first { $0.keyPaths.contains(name) }
        switch rule?.use {
        case .value(_, .some, _), .value(_, _, .some): return [.string]
        case .value(let kinds, nil, nil):
            return rule?.attribute == JSONTag.id ? [.uuid] : kinds
        case .items: return []
        case nil:
            if let place = relations.firstIndex(where: { $0.column == name }) {
                let kinds = relationKinds[place]
                return kinds.isEmpty || !relations[place].relationship.isToMany
                    ? kinds : kinds.union([.array])
            }
            return name == JSONTag.id ? [.uuid] : declared[JSONTag.attribute(name)] ?? []
        }
    }

    // MARK: Rows

    /// The row of an object; `nil` if the mapping leaves it out.
    ///
    /// - Parameter path: The prefix of the object's keys in messages.
    func row(
        _ found: [ImportRow.Member], line: Int, path: String = ""
    ) throws(RowFailure) -> ImportRow? {
        var found = found
        let links = try takeLinks(from: &found, line: line)
        guard let mapping else {
            for member in found {
                if let problem = ImportRow.problem(
                    withName: member.name, isKnown: knows(member.name))
                {
                    throw RowFailure(reason: "\(problem.reason). \(problem.advice)", line: line)
                }
            }
            var row = try ImportRow(line: line, found)
            row.links = links
            return try checked(row)
        }
        var object: [String: DataStoreValue] = [:]
        var names: [String] = []
        for member in found where object.updateValue(member.value, forKey: member.name) == nil {
            names.append(member.name)
        }
        if let willImport = mapping.willImport {
            do {
                guard let changed = try willImport(object) else { return nil }
                object = changed
            } catch {
                throw RowFailure(reason: "\(describe(error)) (willImport)", line: line)
            }
            names = names.filter { object[$0] != nil } + object.keys.sorted { $0 < $1 }
        }
        var draft = Draft(object, path: path, line: line)
        for rule in rules { try draft.apply(rule) }
        var members: [ImportRow.Member] = []
        for name in names {
            members += draft.take(name)
            guard mapping.keepsOtherKeys, let value = draft.rest.removeValue(forKey: name) else {
                continue
            }
            if let member = try member(name, value, draft) { members.append(member) }
        }
        for member in draft.defaults where !members.contains(where: { $0.name == member.name }) {
            members.append(member)
        }
        var row = try ImportRow(line: line, members)
        row.nested = draft.nested
        row.links = links
        if mapping.didImport != nil { row.object = object }
        return try checked(row)
    }

    /// Removes and returns the values by which the items of relationships are found.
    private func takeLinks(
        from found: inout [ImportRow.Member], line: Int
    ) throws(RowFailure) -> [ImportRow.Link] {
        if relations.isEmpty { return [] }
        var links: [ImportRow.Link] = []
        var object: [String: DataStoreValue]?
        for (place, relation) in relations.enumerated() {
            var value = found.last { $0.name == relation.column }?.value
            if value == nil, relation.column.contains(".") {
                if object == nil {
                    object = Dictionary(
                        found.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
                }
                value = MemberPath.find(relation.column[...], in: object ?? [:])?.value
            }
            guard let value else { continue }
            links.append(
                ImportRow.Link(relation: place, values: try keys(value, place, line: line)))
        }
        for relation in relations where relation.column != key {
            if found.contains(where: { $0.name == relation.column }) {
                found.removeAll { $0.name == relation.column }
            } else if object != nil, relation.column.contains(".") {
                for place in found.indices.reversed() {
                    let name = found[place].name
                    guard relation.column.hasPrefix(name + ".") else { continue }
                    var members = [name: found[place].value]
                    MemberPath.remove(relation.column[...], from: &members)
                    if let rest = members[name] {
                        found[place].value = rest
                    } else {
                        found.remove(at: place)
                    }
                }
            }
        }
        return links
    }

    /// The keys in the value of a relationship's column.
    private func keys(
        _ value: DataStoreValue, _ place: Int, line: Int
    ) throws(RowFailure) -> [DataStoreValue] {
        let relation = relations[place]
        var values = [value]
        if relation.relationship.isToMany, case .array(let elements) = value { values = elements }
        var keys: [DataStoreValue] = []
        for value in values where !value.isNull {
            switch value {
            case .reference: keys.append(value)
            case .array, .dictionary:
                throw RowFailure(
                    reason: """
                        \(value.excerpt) in “\(relation.column)” is no value by which an item of “\(relation.destination)” is \
                        found\(relation.relationship.isToMany ? "" : ". For an array, make it a relationship to many")
                        """, line: line)
            default:
                if relation.key != nil {
                    // As a declared attribute would hold it; the look-up compares numbers of all kinds.
                    keys.append(value.coerced(to: relationKinds[place]) ?? value)
                } else if let id = ImportRow.id(value) {
                    keys.append(
                        .reference(ItemReference(itemTypeKey: relation.destination, id: id)))
                } else {
                    throw RowFailure(
                        reason: """
                            \(value.excerpt) in “\(relation.column)” is neither a reference nor the id of an item, 36 characters \
                            of a UUID
                            """, line: line)
                }
            }
        }
        return keys
    }

    /// The row for a bare value of the key.
    func row(
        key value: DataStoreValue, line: Int, path: String
    ) throws(RowFailure) -> ImportRow {
        guard let key else {
            throw RowFailure(
                reason: """
                    \(value.excerpt) at the key path “\(path)” is no object, and the mapping of “\(type.key)” has no key \
                    by which to find an item. Give it one (key:)
                    """, line: line)
        }
        let kinds = declared[key] ?? []
        guard let value = value.coerced(to: kinds) else {
            throw .kind(value, kinds, path: path, line: line)
        }
        return try checked(ImportRow(line: line, [(key, value)]))
    }

    /// A member that no source names, as an attribute with its name; `nil` if the class has none.
    private func member(
        _ name: String, _ value: DataStoreValue, _ draft: Draft
    ) throws(RowFailure) -> ImportRow.Member? {
        let attribute = JSONTag.attribute(name)
        if name == JSONTag.id { return (name, value) }
        if type.schema != nil, declared[attribute] == nil { return nil }
        if let problem = ImportRow.problem(withName: name, isKnown: knows(name)) {
            throw RowFailure(
                reason: "\(problem.reason). \(problem.advice)", line: draft.line)
        }
        if draft.attributes.contains(attribute) {
            throw RowFailure(
                reason: """
                    both the key “\(draft.path)\(name)” and another one that the mapping names are the attribute \
                    “\(attribute)”. Give one of them another name
                    """, line: draft.line)
        }
        let kinds = declared[attribute] ?? []
        guard let value = value.coerced(to: kinds) else {
            throw .kind(value, kinds, path: draft.path + name, line: draft.line)
        }
        return (name, value)
    }

    /// The row; throws if the type has a key and the row does not identify its item by it.
    private func checked(_ row: ImportRow) throws(RowFailure) -> ImportRow {
        guard let key else { return row }
        if row.id != nil {
            throw RowFailure(
                reason: """
                    the row says by “$id” which item it is about, and it is to be found by “\(key)”. Leave one of them out
                    """, line: row.line)
        }
        let value = row.members.last { $0.name == key }?.value ?? .null
        guard !value.isNull, value.isEqual(to: value) else {
            throw RowFailure(
                reason: "the row has no value for “\(key)”, by which items are found",
                line: row.line)
        }
        return row
    }
}

/// The text of an error that a program's closure threw.
func describe(_ error: any Error) -> String {
    (error as? DataStoreError)?.message ?? "\(error)"
}

extension DataStoreValue {
    /// The value in a message.
    var excerpt: String { "“\((cell ?? "null").prefix(40))”" }
}
