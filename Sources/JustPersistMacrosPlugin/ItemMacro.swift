import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Item`: the schema, the backing, and the macro that makes each stored property an attribute.
enum ItemMacro: MemberMacro, MemberAttributeMacro, ExtensionMacro {
    /// Of the three roles, this one reports the errors in a class.
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let itemClass = declaration.as(ClassDeclSyntax.self) else { return [] }
        if let refusal = refusal(of: itemClass, in: context) {
            context.diagnose(refusal.at(node))
        }
        guard let item = item(node, declaration, in: context) else { return [] }
        for diagnostic in item.diagnostics { context.diagnose(diagnostic) }
        return [item.schema, item.backing, item.initializer]
            + (item.initialValues.map { [$0] } ?? []) + (item.values.map { [$0] } ?? [])
    }

    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        var ignored: [Diagnostic] = []
        if ItemRelationship(member, diagnostics: &ignored) != nil {
            return item(node, declaration, in: context) == nil ? [] : ["@_ItemRelationship"]
        }
        guard let property = ItemProperty(member, diagnostics: &ignored),
            let item = item(node, declaration, in: context),
            let index = item.properties.firstIndex(where: { $0.name == property.name })
        else { return [] }
        let before = item.properties[..<index]
        // An array of items takes no place among the attributes.
        let arrays = before.filter(\.mayBeToMany).map {
            item.literal($0.declaredType.trimmed.naming(item.name).description)
        }
        let after = arrays.isEmpty ? "" : ", after: " + arrays.joined(separator: ", ")
        return ["@_ItemAttribute(\(raw: index - arrays.count)\(raw: after))"]
    }

    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        // This is reported here, because the compiler does not always expand the members of a declaration that is not a
        // class.
        if !declaration.is(ClassDeclSyntax.self) {
            let kind = ItemKind(declaration)
            context.diagnose(
                ItemMessage.notAClass(kind).at(node, fixIts: kind.fixIts(declaration)))
        }
        guard let item = item(node, declaration, in: context) else { return [] }
        let names = protocols.map(\.trimmedDescription).filter {
            item.mayHaveValues || !$0.hasSuffix("ItemWithValues")
        }
        if names.isEmpty { return [] }
        let list = names.joined(separator: ", ")
        // In a module that is isolated to the main actor, the conformances would be isolated too. The class is not,
        // because the macro's declaration names a protocol whose metatypes are Sendable.
        return [try ExtensionDeclSyntax("nonisolated extension \(type): \(raw: list) {}")]
    }

    /// The item class; nil if there is none, so that only one role reports the error.
    private static func item(
        _ node: AttributeSyntax, _ declaration: some DeclGroupSyntax,
        in context: some MacroExpansionContext
    ) -> ItemDeclaration? {
        guard let itemClass = declaration.as(ClassDeclSyntax.self),
            refusal(of: itemClass, in: context) == nil
        else { return nil }
        return ItemDeclaration(itemClass, attribute: node, in: context.lexicalContext)
    }

    /// The reason why this cannot be an item class at this place.
    private static func refusal(
        of itemClass: ClassDeclSyntax, in context: some MacroExpansionContext
    ) -> ItemMessage? {
        let name = itemClass.name.text
        if itemClass.genericParameterClause != nil { return .generic(name) }
        if itemClass.attribute(named: "MainActor") != nil { return .isolated(name) }
        for scope in context.lexicalContext {
            if scope.asProtocol((any DeclGroupSyntax).self) == nil { return .local(name) }
            let generics = scope.asProtocol((any WithGenericParametersSyntax).self)
            if generics?.genericParameterClause != nil { return .generic(name) }
        }
        return nil
    }
}

extension ItemDeclaration {
    fileprivate var schema: DeclSyntax {
        """
        \(raw: access)static let schema = JustPersist.ItemSchema(
            \(literal: typeKey),\(raw: formerKeys)
            attributes: [\(raw: lines(properties.map(attribute)))],
            indexes: [\(raw: lines(indexes.map(index)))]\(raw: relationshipsArgument))
        """
    }

    /// The argument with the former names of the type, on its own line; empty if there are none.
    private var formerKeys: String {
        if formerTypeKeys.isEmpty { return "" }
        return "\n    formerTypeKeys: [\(formerTypeKeys.map(literal).joined(separator: ", "))],"
    }

    /// The argument with the relationships; empty if there are none.
    private var relationshipsArgument: String {
        if relationships.isEmpty { return "" }
        return ",\n    relationships: [\(lines(relationships.map { $0.schema(of: name) }))]"
    }

    fileprivate var backing: DeclSyntax {
        "\(raw: access)let backing: any JustPersist.ItemBacking"
    }

    fileprivate var initializer: DeclSyntax {
        """
        \(raw: access)\(raw: isFinal ? "" : "required ")init(backing: any JustPersist.ItemBacking) {
            self.backing = backing
        }
        """
    }

    fileprivate var initialValues: DeclSyntax? {
        let assignments = properties.compactMap { property in
            property.initialValue.map {
                let assignment = "self.\(property.identifier) = \($0)"
                // A relationship begins empty, without a look-up.
                return property.mayBeToMany
                    ? "if JustPersist.AttributeSchema.places(of: \(property.type).self) > 0 { \(assignment) }"
                    : assignment
            }
        }
        if assignments.isEmpty { return nil }
        return """
            \(raw: access)func setInitialValues() {
                \(raw: assignments.joined(separator: "\n    "))
            }
            """
    }

    private func attribute(_ property: ItemProperty) -> String {
        let options = property.options
        var arguments = [
            "\(literal(property.name))",
            "kinds: JustPersist.AttributeSchema.kinds(of: \(property.type).self)",
        ]
        if let value = property.initialValue {
            let value = value.naming(name)
            arguments.append(
                "default: JustPersist.AttributeSchema.defaultValue(of: \(property.type).self, \(value))"
            )
            if property.isOptional { arguments.append("isOptional: true") }
        }
        if let name = options.originalName { arguments.append("originalName: \(literal(name))") }
        if options.isUnique { arguments.append("isUnique: true") }
        if options.isIndexed { arguments.append("isIndexed: true") }
        if options.ignoresCase { arguments.append("ignoresCase: true") }
        arguments.append("keyPath: \\\(name).\(property.identifier)")
        if property.mayBeToMany { arguments.append("mayBeToMany: true") }
        return "JustPersist.AttributeSchema(\(arguments.joined(separator: ", ")))"
    }

    private func index(_ index: ItemIndex) -> String {
        let names = index.attributes.map(literal).joined(separator: ", ")
        var arguments = ["[\(names)]"]
        if index.isUnique { arguments.append("isUnique: true") }
        if index.ignoresCase { arguments.append("ignoresCase: true") }
        return "JustPersist.IndexSchema(\(arguments.joined(separator: ", ")))"
    }

    func literal(_ text: String) -> String { "\(StringLiteralExprSyntax(content: text))" }

    private func lines(_ elements: [String]) -> String {
        elements.isEmpty ? "" : "\n        " + elements.joined(separator: ",\n        ") + ",\n    "
    }
}
