/// The columns of the properties of a hierarchy of entities, which share one table.
///
/// A property has the column `Z` with its name in upper case. Sub-entities that declare one name get it in the order of their
/// numbers: the first `ZTITLE`, the others `ZTITLE1`, `ZTITLE2` and so on.
struct ColumnNames {
    private struct Property: Hashable {
        let entity: String
        let path: [String]
    }

    private var columns: [Property: String] = [:]

    /// The columns of the entities below a root, and itself.
    init(of root: String, in model: Model, numbers: [String: Int], _ table: SourceStore.Table) {
        let entities = (model.families[root] ?? []).compactMap { model.entities[$0] }
            .filter { numbers[$0.name] != nil }
            .sorted { (numbers[$0.name] ?? 0) < (numbers[$1.name] ?? 0) }
        var uses: [String: Int] = [:]
        for entity in entities {
            var names: [(path: [String], forms: [String])] = []
            for attribute in entity.attributes
            where !attribute.isTransient && attribute.kind != .undefined {
                names += Self.leaves(attribute, []).map { ($0, Self.forms($0)) }
            }
            for relationship in entity.relationships
            where !relationship.isToMany && !relationship.isTransient {
                names.append(([relationship.name], [relationship.name]))
            }
            for (path, forms) in names.sorted(by: { $0.path.lexicographicallyPrecedes($1.path) }) {
                let bases = forms.map { "Z" + $0.uppercased() }
                let base = bases.first(where: table.has) ?? bases[0]
                let use = uses[base, default: 0]
                uses[base] = use + 1
                columns[Property(entity: entity.name, path: path)] =
                    use == 0 ? base : "\(base)\(use)"
            }
        }
    }

    /// The column of a property, or of a part of a composite attribute.
    func column(_ path: [String], of entity: String) -> String? {
        columns[Property(entity: entity, path: path)]
    }

    /// The parts of an attribute that have columns of their own.
    private static func leaves(_ attribute: Model.Attribute, _ path: [String]) -> [[String]] {
        let path = path + [attribute.name]
        return attribute.kind == .composite
            ? attribute.elements.flatMap { leaves($0, path) } : [path]
    }

    /// The names that the column of a part may have: that of the part, or with those above it.
    private static func forms(_ path: [String]) -> [String] {
        path.count == 1 ? path : [path.joined(separator: "_"), path[path.count - 1], path.joined()]
    }
}
