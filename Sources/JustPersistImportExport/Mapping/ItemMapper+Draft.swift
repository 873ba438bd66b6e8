import JustPersist

extension ItemMapper {
    /// A row while its members are collected.
    struct Draft {
        private let object: [String: DataStoreValue]
        /// The object without the members that the rules name.
        var rest: [String: DataStoreValue]
        /// The prefix of the object's keys in messages.
        let path: String
        let line: Int
        /// The attributes that have a value from a rule.
        private(set) var attributes: Set<String> = []
        private(set) var nested: [ImportRow.Nested] = []
        /// The values by the member of the object that they come from.
        private var members: [String: [ImportRow.Member]] = [:]
        /// The values of attributes whose sources have none.
        private(set) var defaults: [ImportRow.Member] = []

        init(_ object: [String: DataStoreValue], path: String, line: Int) {
            self.object = object
            self.path = path
            self.line = line
            rest = object
        }

        /// Removes and returns the values that come from a member of the object.
        mutating func take(_ name: String) -> [ImportRow.Member] {
            members.removeValue(forKey: name) ?? []
        }

        /// Finds the value of a rule's attribute.
        mutating func apply(_ rule: Rule) throws(RowFailure) {
            var found: (path: String, root: String, value: DataStoreValue)?
            for keyPath in rule.keyPaths {
                guard let (root, value) = MemberPath.find(keyPath[...], in: object) else {
                    continue
                }
                MemberPath.remove(keyPath[...], from: &rest)
                if found?.value.isNull ?? true { found = (path + keyPath, root, value) }
            }
            guard let found else {
                if let value = rule.defaultValue { defaults.append((rule.attribute, value)) }
                return
            }
            attributes.insert(rule.attribute)
            var value = found.value
            if value.isNull {
                value = rule.defaultValue ?? .null
            } else {
                switch rule.use {
                case .value(let kinds, let dates, let transform):
                    value = try converted(value, kinds, dates, transform, at: found.path)
                case .items(let mapper, let isList):
                    return try nest(value, mapper, isList, of: rule.attribute, at: found.path)
                }
            }
            members[found.root, default: []].append((rule.attribute, value))
        }

        private func converted(
            _ found: DataStoreValue, _ kinds: Set<DataStoreValue.Kind>, _ dates: DateReader?,
            _ transform: ItemMapping.Source.Transform?, at path: String
        ) throws(RowFailure) -> DataStoreValue {
            var value = found
            if let transform {
                do {
                    value = try transform(value)
                } catch {
                    throw RowFailure(
                        reason:
                            "\(found.excerpt) at the key path “\(path)”: \(describe(error)) (transform)",
                        line: line)
                }
            }
            if let dates {
                guard let date = dates.date(value) else {
                    throw RowFailure(
                        reason: """
                            \(value.excerpt) at the key path “\(path)” is not a point in time in the format \(dates.names). \
                            Correct it, or give the mapping another format
                            """, line: line)
                }
                value = date
            }
            guard let coerced = value.coerced(to: kinds) else {
                throw .kind(value, kinds, path: path, line: line)
            }
            return coerced
        }

        /// Makes rows from the objects in a value.
        private mutating func nest(
            _ value: DataStoreValue, _ mapper: ItemMapper, _ isList: Bool, of attribute: String,
            at path: String
        ) throws(RowFailure) {
            var rows: [ImportRow] = []
            if case .array(let elements) = value {
                guard isList else {
                    throw RowFailure(
                        reason: """
                            there is an array at the key path “\(path)”, where the mapping expects one object. Map it with \
                            .items, or name an element of it: “\(path).0”
                            """, line: line)
                }
                for (place, element) in elements.enumerated() where !element.isNull {
                    rows += try row(of: element, mapper, at: "\(path).\(place)")
                }
            } else {
                rows += try row(of: value, mapper, at: path)
                if rows.isEmpty, !isList { return }
            }
            nested.append(ImportRow.Nested(attribute: attribute, rows: rows, isList: isList))
        }

        private func row(
            of value: DataStoreValue, _ mapper: ItemMapper, at path: String
        ) throws(RowFailure) -> [ImportRow] {
            guard case .dictionary(let object) = value else {
                return [try mapper.row(key: value, line: line, path: path)]
            }
            let members = object.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
            return try mapper.row(members, line: line, path: path + ".").map { [$0] } ?? []
        }
    }
}

extension RowFailure {
    /// The failure of a value that cannot be converted.
    static func kind(
        _ value: DataStoreValue, _ kinds: Set<DataStoreValue.Kind>, path: String, line: Int
    ) -> RowFailure {
        RowFailure(
            reason: """
                \(value.excerpt) at the key path “\(path)” is not of the kind \(kinds.names). Correct it, or have the mapping \
                read it otherwise (format:, transform:)
                """, line: line)
    }
}
