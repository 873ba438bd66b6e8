import SwiftSyntax
import SwiftSyntaxBuilder

/// The struct with copies of the attributes' values.
extension ItemDeclaration {
    /// The declaration of `Values`; nil if the class declares another type with that name.
    var values: DeclSyntax? {
        if !mayHaveValues { return nil }
        let attributes = valueAttributes
        let isIDTaken = attributes.contains { $0.name == "id" }
        let key = isIDTaken ? "uniqueToken" : "id"
        var members = ["\(access)var uniqueToken: JustPersist.ItemID"]
        members += attributes.compactMap(\.typeDeclaration)
        members += attributes.flatMap { $0.declarations }
        let visible = attributes.filter { $0.level <= level }
        members += visible.compactMap { $0.publicDefault(access) }
        members.append(memberwise(attributes, for: level, access, idLabel: key))
        if visible.count < attributes.count {
            members.append(
                "@_disfavoredOverload "
                    + memberwise(attributes, for: .private, "", idLabel: key))
        }
        members += [
            copying(attributes), assigning(attributes), decoding(attributes, key),
            encoding(attributes, key),
        ]
        return """
            \(raw: access)struct Values: JustPersist.ItemValues, Swift.Codable, Swift.Hashable {
                \(raw: members.map { $0.indented }.joined(separator: "\n    "))
            }
            """
    }

    /// The attributes of the struct: those that are visible wherever the class is visible in its file.
    private var valueAttributes: [ValueAttribute] {
        let narrowest: ItemAccess.Level = level >= .fileprivate ? .fileprivate : .internal
        var storages: Set<String> = []
        let attributes = properties.filter { $0.access.level <= narrowest }.map { property in
            let attribute = ValueAttribute(
                property, ofClass: name,
                takenStorages: storages.union(properties.map(\.name) + relationships.map(\.name)))
            storages.insert(attribute.storageName)
            return attribute
        }
        // Those to many are left out: each would take a look-up for each copy.
        return attributes
            + relationships.filter { $0.form == .one && $0.access.level <= narrowest }.map {
                ValueAttribute($0)
            }
    }

    /// The initializer with a parameter for each attribute that is as visible as the initializer; the others get their
    /// defaults.
    private func memberwise(
        _ attributes: [ValueAttribute], for level: ItemAccess.Level, _ access: String,
        idLabel: String
    ) -> String {
        var parameters = ["\(idLabel): JustPersist.ItemID = JustPersist.ItemID()"]
        var assignments = ["self.uniqueToken = \(idLabel)"]
        for attribute in attributes {
            if attribute.level <= level {
                parameters.append(attribute.parameter(isPublic: !access.isEmpty))
                assignments.append(attribute.setting(to: attribute.identifier))
            } else {
                assignments.append(attribute.setting(to: attribute.defaultText))
            }
        }
        return function(
            "\(access)init(\(parameters.joined(separator: ", ")))", assignments)
    }

    private func copying(_ attributes: [ValueAttribute]) -> String {
        function(
            "\(access)init(_ item: \(name))",
            ["self.uniqueToken = item.uniqueToken"]
                + attributes.map { $0.setting(to: $0.reading) })
    }

    private func assigning(_ attributes: [ValueAttribute]) -> String {
        function(
            "\(access)func assign(to item: \(name))",
            attributes.map(\.assigning))
    }

    private func decoding(_ attributes: [ValueAttribute], _ key: String) -> String {
        function(
            "\(access)init(from decoder: any Swift.Decoder) throws",
            [
                "let values = try JustPersist.ItemValuesDecoder(decoder)",
                "self.uniqueToken = try values.id(\(literal(key)))",
            ] + attributes.map(\.decoding))
    }

    private func encoding(_ attributes: [ValueAttribute], _ key: String) -> String {
        function(
            "\(access)func encode(to encoder: any Swift.Encoder) throws",
            [
                "var values = JustPersist.ItemValuesEncoder(encoder)",
                "try values.id(self.uniqueToken, \(literal(key)))",
            ] + attributes.map(\.encoding))
    }

    private func function(_ head: String, _ statements: [String]) -> String {
        if statements.isEmpty { return head + " {}" }
        return head + " {\n    " + statements.joined(separator: "\n    ") + "\n}"
    }
}

/// One attribute of the struct.
private struct ValueAttribute {
    let name: String
    let identifier: String
    let level: ItemAccess.Level
    /// The name of the property that stores the value, if it is not the attribute's own.
    let storageName: String
    /// The value of an item, and the statement that sets it.
    let reading: String
    let assigning: String
    private let access: ItemAccess
    private let isOptional: Bool
    private let hasDefault: Bool
    private let type: TypeSyntax
    /// The declaration of the type, if it is not known whether the property is a relationship.
    let typeDeclaration: String?
    private let defaultValue: ExprSyntax
    /// Whether the type is known to be `Hashable` and `Sendable`.
    private let isKnown: Bool

    init(_ property: ItemProperty, ofClass className: String, takenStorages: Set<String>) {
        name = property.name
        identifier = property.identifier
        access = property.access
        level = access.level
        isOptional = property.isOptional
        hasDefault = property.initialValue != nil
        defaultValue = property.initialValue?.naming(className) ?? "nil"
        var storage = "_" + property.name
        while takenStorages.contains(storage) { storage = "_" + storage }
        storageName = storage
        let declared = property.declaredType.trimmed.naming(className)
        isKnown = declared.isKnownValueType
        let (copy, original) = ("self.\(identifier)", "item.\(identifier)")
        guard property.mayBeToOne || property.mayBeToMany else {
            type = declared
            typeDeclaration = nil
            reading = original
            assigning = "\(original) = \(copy)"
            return
        }
        let isRaw = identifier.hasPrefix("`")
        let member = isRaw ? "`Type\(storage)`" : "Type\(storage)"
        let level = level == .internal ? "" : level.rawValue + " "
        let values = "JustPersist.ItemValueStorage"
        let name = "\(StringLiteralExprSyntax(content: name))"
        type = "\(raw: member).Value"
        typeDeclaration = """
            \(level)enum \(member): JustPersist.ItemValueMember {
                \(level)static let type = \(values).type(of: (\(declared)).self)
            }
            """
        reading = "\(values).value(of: (\(declared)).self, in: item, \(name), \(original))"
        assigning =
            "\(values).assign(\(copy), of: (\(declared)).self, to: item, \(name)) { \(original) = $0 }"
    }

    /// The id of the item in a relationship to one.
    init(_ relationship: ItemRelationship) {
        name = relationship.name
        identifier = relationship.identifier
        let literal = "\(StringLiteralExprSyntax(content: name))"
        reading = "item.relatedID(\(literal))"
        assigning =
            "item.setRelatedID(\(literal), to: self.\(identifier), of: \(relationship.destination).self)"
        access = relationship.access
        level = access.level
        (isOptional, hasDefault, isKnown) = (true, false, true)
        typeDeclaration = nil
        type = "JustPersist.ItemID?"
        defaultValue = "nil"
        storageName = name
    }

    private var storage: String { identifier.hasPrefix("`") ? "`\(storageName)`" : storageName }

    var declarations: [String] {
        let head = "\(access.modifiers)var \(identifier): \(type)"
        if isKnown { return [head] }
        return [
            "private var \(storage) = JustPersist.ItemValueStorage.of((\(type)).self, \(defaultValue))",
            "\(head) {\n    get { \(storage).value }\n    set { \(storage).value = newValue }\n}",
        ]
    }

    var defaultText: String { "\(defaultValue)" }

    /// The first value that the attribute gets in an initializer.
    func setting(to value: String) -> String {
        isKnown ? "self.\(identifier) = \(value)" : "self.\(storage) = .init(\(value))"
    }

    /// A parameter of the initializer.
    ///
    /// A default argument of a public function can use public declarations only.
    func parameter(isPublic: Bool) -> String {
        let value = needsName && isPublic ? "Values.\(defaultName)" : "\(defaultValue)"
        return "\(identifier): \(type) = \(value)"
    }

    /// The default under a name that is as visible as the struct; nil if the default needs none.
    func publicDefault(_ access: String) -> String? {
        guard !access.isEmpty, needsName else { return nil }
        return "\(access)static var \(defaultName): \(type) { \(defaultValue) }"
    }

    private var needsName: Bool { !defaultValue.isSelfContained }
    private var defaultName: String {
        let name = "_default\(storageName)"
        return identifier.hasPrefix("`") ? "`\(name)`" : name
    }

    var decoding: String {
        let key = StringLiteralExprSyntax(content: name)
        if !isOptional {
            return setting(to: "try values.attribute(\(key), default: \(defaultValue))")
        }
        let value = !hasDefault ? "" : ", default: \(defaultValue)"
        return setting(to: "try values.optionalAttribute(\(key)\(value))")
    }

    var encoding: String {
        let key = StringLiteralExprSyntax(content: name)
        if !isOptional {
            return "try values.attribute(\(key), self.\(identifier))"
        }
        let hasDefault = hasDefault ? ", hasDefault: true" : ""
        return "try values.optionalAttribute(\(key), self.\(identifier)\(hasDefault))"
    }
}

extension String {
    /// The lines after the first one, indented by one step.
    fileprivate var indented: String { split(separator: "\n").joined(separator: "\n    ") }
}
