public import Foundation
public import JustPersist

/// The item classes for a model of Core Data, as Swift source.
///
/// They declare what an import of a store of the model declares. The source is a beginning that belongs to you.
public struct ItemClasses: Sendable {
    /// The source of one file.
    public let source: String

    /// Reads a model, and writes its current version as classes.
    ///
    /// - Parameter model: An `.xcdatamodeld`, an `.xcdatamodel`, a `.momd` or a `.mom`.
    /// - Throws: `.invalidInput` for a file that is no model, and for two names that are one in Swift.
    public init(model: URL) throws(DataStoreError) {
        let model = try ModelFile(model).versions[0].model
        try Self.checkNames(of: model)
        var text = """
            import Foundation
            import JustPersist
            import JustPersistMacros


            """
        for name in model.entities.keys.sorted() where model.entities[name]?.isAbstract == false {
            text += Self.declaration(of: name, in: model) + "\n"
        }
        source = text
    }

    private static func declaration(of name: String, in model: Model) -> String {
        let line = model.line(of: name)
        let former = model.entities[name]?.formerName
        let type = typeName(name)
        let options =
            (type == name ? [] : [literal(name)])
            + (former.map { ["originalName: \(literal($0))"] } ?? [])
        var lines = [
            "@Item\(options.isEmpty ? "" : "(\(options.joined(separator: ", ")))") final class \(type) {"
        ]
        let indexes = (line.flatMap(\.indexes), line.flatMap(\.unique))
        for attribute in line.flatMap(\.attributes) {
            lines += declaration(
                of: attribute, isUnique: indexes.1.contains([attribute.name]),
                isIndexed: indexes.0.contains([attribute.name]))
        }
        for relationship in line.flatMap(\.relationships) where !relationship.isTransient {
            for target in model.targets(of: relationship) {
                lines += declaration(of: relationship, of: name, to: target, in: model)
            }
        }
        let known = Set(
            line.flatMap(\.attributes).filter { !$0.isTransient && $0.kind != .undefined }.map(
                \.name))
        for (macro, lists) in [("Index", indexes.0), ("Unique", indexes.1)] {
            for list in lists where list.count > 1 || !known.isSuperset(of: list) {
                lines.append(
                    known.isSuperset(of: list)
                        ? "    #\(macro)<\(type)>([\(list.map { "\\.\(identifier($0))" }.joined(separator: ", "))])"
                        : "    // The model has #\(macro) over \(comment(list.joined(separator: ", ")))."
                )
            }
        }
        return (lines + ["}", ""]).joined(separator: "\n")
    }

    private static func declaration(
        of attribute: Model.Attribute, isUnique: Bool, isIndexed: Bool
    ) -> [String] {
        let name = identifier(attribute.name)
        guard let type = swiftType(attribute) else {
            return [
                "    // The model has “\(comment(attribute.name))”, which is not stored and has no type."
            ]
        }
        let value =
            defaultValue(attribute) ?? (attribute.isOptional ? nil : emptyValue(attribute.kind))
        let isOptional = attribute.isOptional || value == nil
        let declaration =
            "var \(name): \(type)\(isOptional ? "?" : "")" + (value.map { " = \($0)" } ?? "")
        if attribute.isTransient {
            return ["    @Transient \(declaration)\(value == nil ? " = nil" : "")"]
        }
        var options: [String] = []
        if isUnique {
            options.append(".unique")
        } else if isIndexed || attribute.isIndexed {
            options.append(".indexed")
        }
        if let former = former(attribute.name, name, attribute.formerName) {
            options.append("originalName: \(former)")
        }
        let macro = options.isEmpty ? "" : "@Attribute(\(options.joined(separator: ", "))) "
        let note =
            attribute.isOptional || value != nil
            ? [] : ["    // Not optional in the model, which has no default."]
        return note + ["    \(macro)\(declaration)"]
    }

    private static func declaration(
        of relationship: Model.Relationship, of kind: String, to target: String, in model: Model
    ) -> [String] {
        let linkName = model.name(of: relationship, to: target)
        let name = identifier(linkName)
        let isSplit = model.targets(of: relationship).count > 1
        var options: [String] = []
        if relationship.isToMany, relationship.isOrdered { options.append(".ordered") }
        if relationship.deleteRule != .nullify {
            options.append("deleteRule: .\(relationship.deleteRule)")
        }
        let minimum =
            isSplit || relationship.isOptional
            ? 0 : relationship.isToMany ? relationship.minimum : 1
        if minimum > 0 { options.append("minimumModelCount: \(minimum)") }
        if relationship.isToMany, relationship.maximum >= max(1, minimum) {
            options.append("maximumModelCount: \(relationship.maximum)")
        }
        let formerName = isSplit ? nil : relationship.formerName
        if let former = former(linkName, name, formerName) {
            options.append("originalName: \(former)")
        }
        if let inverse = model.inverseName(of: relationship, leadingBackTo: kind) {
            // One side names the other.
            if kind == target {
                if linkName <= inverse { options.append("inverse: \(literal(property(inverse)))") }
            } else if kind < target {
                options.append("inverse: \\\(typeName(target)).\(identifier(inverse))")
            }
        }
        let type = typeName(target)
        let list = options.isEmpty ? "" : "(\(options.joined(separator: ", ")))"
        return [
            "    @Relationship\(list) var \(name): "
                + (relationship.isToMany ? "ToMany<\(type)>" : "\(type)?")
        ]
    }

    // MARK: Names

    private static let keywords: Set = [
        "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer",
        "deinit", "do", "else",
        "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if",
        "import", "in", "init",
        "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private",
        "protocol", "public", "repeat",
        "rethrows", "return", "self", "Self", "static", "struct", "subscript", "super", "switch",
        "throw", "throws", "true",
        "try", "typealias", "var", "where", "while", "Any", "Type", "Protocol",
    ]

    /// The names that every item has already.
    private static let members: Set = [
        "backing", "schema", "uniqueToken", "itemTypeKey", "setInitialValues",
    ]

    /// Throws if two types, or two properties of one, would have the same name in Swift.
    private static func checkNames(of model: Model) throws(DataStoreError) {
        func check(
            _ names: [String], _ swiftName: (String) -> String, of owner: String?
        ) throws(DataStoreError) {
            let groups = Dictionary(grouping: Set(names), by: swiftName)
            for (name, originals) in groups.sorted(by: { $0.key < $1.key })
            where originals.count > 1 {
                throw DataStoreError(
                    .invalidInput, in: "generate",
                    """
                    \(originals.sorted().listed)\(owner.map { " of “\($0)”" } ?? "") would have one name in Swift, “\(name)”. \
                    Rename one of them in a copy of the model, and give its present name as the renaming identifier.
                    """, itemType: owner)
            }
        }
        let types = model.entities.values.filter { !$0.isAbstract }.map(\.name).sorted()
        try check(types, typeName, of: nil)
        for type in types {
            let line = model.line(of: type)
            let links = line.flatMap(\.relationships).flatMap { relationship in
                model.targets(of: relationship).map { model.name(of: relationship, to: $0) }
            }
            try check(line.flatMap(\.attributes).map(\.name) + links, property, of: type)
        }
    }

    /// A name in which every character that Swift does not allow in names is an underscore.
    ///
    /// A model is not trusted: its names must not become code.
    private static func swiftName(_ name: String) -> String {
        let allowed = String(
            name.map { $0 == "_" || $0.isLetter || $0.isWholeNumber ? $0 : "_" })
        guard let first = allowed.first, first != "_", !first.isWholeNumber else {
            return "the" + allowed
        }
        return allowed
    }

    /// A text of the model in a comment of one line.
    private static func comment(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }

    /// The name of a property, as the class has it.
    private static func property(_ name: String) -> String {
        let name = swiftName(name)
        return members.contains(name) ? name + "_" : name
    }

    private static func identifier(_ name: String) -> String {
        let name = property(name)
        return keywords.contains(name) ? "`\(name)`" : name
    }

    /// The names of types that the source uses otherwise.
    private static func typeName(_ entity: String) -> String {
        let taken: Set = [
            "Data", "Date", "Decimal", "URL", "UUID", "Index", "Unique", "Item", "Attribute",
            "Relationship", "Transient", "ToMany", "String", "Int", "Int16", "Int32", "Bool",
            "Double", "Float", "Optional", "Array", "Dictionary", "DataStoreValue", "JustPersist",
            "Foundation", "Swift",
        ]
        let name = swiftName(entity)
        return taken.contains(name) || keywords.contains(name) ? name + "Item" : name
    }

    private static func former(_ name: String, _ property: String, _ former: String?) -> String? {
        (former ?? (self.property(name) == name ? nil : name)).map(literal)
    }

    // MARK: Types

    private static func swiftType(_ attribute: Model.Attribute) -> String? {
        switch attribute.kind {
        case .int16: "Int16"
        case .int32: "Int32"
        case .int64: "Int"
        case .decimal: "Decimal"
        case .double: "Double"
        case .float: "Float"
        case .string: "String"
        case .bool: "Bool"
        case .date: "Date"
        case .data: "Data"
        case .uuid: "UUID"
        case .url, .objectID: "URL"
        case .composite: "[String: DataStoreValue]"
        case .transformable:
            attribute.className == "[String]"
                ? "[String]"
                : attribute.transformer?.contains("UnarchiveFromData") ?? true
                    ? "DataStoreValue" : "Data"
        case .undefined: nil
        }
    }

    /// The default of the model.
    private static func defaultValue(_ attribute: Model.Attribute) -> String? {
        switch attribute.defaultValue {
        case .bool(let value)?: "\(value)"
        case .int(let value)? where fits(value, attribute.kind): "\(value)"
        case .double(let value)? where value.isFinite: "\(value)"
        case .string(let value)?: literal(value)
        case .decimal(let value)?: "Decimal(string: \(literal("\(value)"))) ?? 0"
        case .date(let value)? where value.timeIntervalSinceReferenceDate.isFinite:
            "Date(timeIntervalSinceReferenceDate: \(value.timeIntervalSinceReferenceDate))"
        default: nil
        }
    }

    /// The value of a required attribute without a default; `nil` where there is none.
    private static func emptyValue(_ kind: Model.Attribute.Kind) -> String? {
        switch kind {
        case .int16, .int32, .int64, .decimal, .double, .float: "0"
        case .string: "\"\""
        case .bool: "false"
        case .date: "Date.distantPast"
        case .data: "Data()"
        case .composite: "[:]"
        default: nil
        }
    }

    /// Whether a number is one of the property's type; Core Data stores defaults that are not.
    private static func fits(_ value: Int64, _ kind: Model.Attribute.Kind) -> Bool {
        switch kind {
        case .int16: Int16(exactly: value) != nil
        case .int32: Int32(exactly: value) != nil
        default: true
        }
    }

    private static func literal(_ text: String) -> String { String(reflecting: text) }
}
