import SwiftDiagnostics
import SwiftSyntax

/// An item class in the source.
struct ItemDeclaration {
    /// The class's name as code refers to it.
    let name: String
    /// The type's name in stores.
    let typeKey: String
    /// The names that the type had in stores in earlier releases.
    let formerTypeKeys: [String]
    /// `public `, `package ` or nothing: the access level that members need to match the class.
    let access: String
    /// The access level of the class.
    let level: ItemAccess.Level
    /// Whether the class declares no type named `Values`.
    let mayHaveValues: Bool
    let isFinal: Bool
    let properties: [ItemProperty]
    let relationships: [ItemRelationship]
    private(set) var indexes: [ItemIndex] = []
    /// The errors in the class.
    ///
    /// The valid parts are declared nevertheless, so that one mistake does not lead to many errors.
    private(set) var diagnostics: [Diagnostic] = []

    /// The class with the given `@Item`, inside the types of `scopes`, the innermost first.
    init(_ declaration: ClassDeclSyntax, attribute: AttributeSyntax, in scopes: [Syntax]) {
        name = declaration.name.text
        let modifiers = declaration.modifiers.map(\.name.text)
        access = modifiers.first { ["public", "package"].contains($0) }.map { $0 + " " } ?? ""
        level = ItemAccess(of: declaration.modifiers).level
        isFinal = modifiers.contains("final")
        var diagnostics = isFinal ? [] : [Self.notFinal(declaration)]
        diagnostics += Self.checkMembers(of: declaration)
        let keys = Self.arguments(of: attribute)
        typeKey =
            Self.typeKey(keys.present, diagnostics: &diagnostics)
            ?? (scopes.reversed().compactMap(\.typeName)
            + [declaration.name.identifier?.name ?? name]).joined(separator: ".")
        formerTypeKeys = Self.formerTypeKeys(
            keys.former, of: typeKey, diagnostics: &diagnostics)
        let members = declaration.memberBlock.members.map(\.decl)
        let properties = members.compactMap { ItemProperty($0, diagnostics: &diagnostics) }
        self.properties = properties
        relationships = members.compactMap { ItemRelationship($0, diagnostics: &diagnostics) }
        mayHaveValues = !members.contains { $0.declaresType(named: "Values") }
        self.diagnostics = diagnostics
        indexes = members.flatMap { readIndexes($0) }
        checkNames()
        if mayHaveValues { checkTypes() }
    }

    private static func notFinal(_ declaration: ClassDeclSyntax) -> Diagnostic {
        let keyword = declaration.classKeyword
        return ItemMessage.notFinal(declaration.name.text).at(
            keyword,
            fixIts: [
                ItemFix.makeFinal.replacing(
                    keyword, with: keyword.with(\.tokenKind, .identifier("final class")))
            ])
    }

    private static func checkMembers(of declaration: ClassDeclSyntax) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        for member in declaration.memberBlock.members {
            if let initializer = member.decl.as(InitializerDeclSyntax.self) {
                diagnostics += check(initializer)
            } else if let conditional = member.decl.as(IfConfigDeclSyntax.self),
                conditional.containsStoredProperty
            {
                diagnostics.append(ItemMessage.conditional.at(conditional))
            }
        }
        return diagnostics
    }

    /// An initializer may omit `convenience` only if it sets the item's backing itself.
    private static func check(_ initializer: InitializerDeclSyntax) -> [Diagnostic] {
        let isConvenience = initializer.modifiers.contains {
            $0.name.tokenKind == .keyword(.convenience)
        }
        let setsBacking =
            initializer.body?.tokens(viewMode: .sourceAccurate).contains { $0.text == "backing" }
            ?? false
        if isConvenience || setsBacking { return [] }
        let keyword = initializer.initKeyword
        return [
            ItemMessage.ownInit.at(
                keyword,
                fixIts: [
                    ItemFix.makeConvenience.replacing(
                        keyword, with: keyword.with(\.tokenKind, .identifier("convenience init")))
                ])
        ]
    }

    /// The arguments of `@Item`: the type's name, and its former names in `originalName`.
    private static func arguments(
        of attribute: AttributeSyntax
    ) -> (present: ExprSyntax?, former: [ExprSyntax]) {
        guard case .argumentList(let arguments) = attribute.arguments else { return (nil, []) }
        let present = arguments.prefix { $0.label == nil }
        return (present.first?.expression, arguments.dropFirst(present.count).map(\.expression))
    }

    private static func typeKey(
        _ expression: ExprSyntax?, diagnostics: inout [Diagnostic]
    ) -> String? {
        guard let expression, !expression.is(NilLiteralExprSyntax.self) else { return nil }
        if let key = expression.literalString, key.isTypeKey { return key }
        diagnostics.append(ItemMessage.invalidTypeKey.at(expression))
        return nil
    }

    private static func formerTypeKeys(
        _ expressions: [ExprSyntax], of typeKey: String, diagnostics: inout [Diagnostic]
    ) -> [String] {
        var keys: [String] = []
        for expression in expressions {
            guard let key = expression.literalString, key.isTypeKey else {
                diagnostics.append(ItemMessage.invalidFormerTypeKey.at(expression))
                continue
            }
            if key == typeKey {
                diagnostics.append(ItemMessage.presentTypeKey(key).at(expression))
            } else if keys.contains(key) {
                diagnostics.append(ItemMessage.formerTypeKeyTwice(key).at(expression))
            } else {
                keys.append(key)
            }
        }
        return keys
    }

    /// No two attributes may share a name, including former ones.
    private mutating func checkNames() {
        var owners: [String: String] = [:]
        for property in properties {
            if owners.updateValue(property.name, forKey: property.name) != nil {
                diagnostics.append(ItemMessage.declaredTwice(property.name).at(property.syntax))
            }
        }
        for relationship in relationships
        where owners.updateValue(relationship.name, forKey: relationship.name) != nil {
            diagnostics.append(ItemMessage.declaredTwice(relationship.name).at(relationship.syntax))
        }
        for property in properties {
            guard let syntax = property.options.syntax, let name = property.options.originalName
            else { continue }
            if let owner = owners[name], owner != property.name {
                diagnostics.append(ItemMessage.nameClash(owner, with: property.name).at(syntax))
            }
            owners[name] = property.name
        }
    }

    /// The struct that the macro generates hides another type with its name.
    private mutating func checkTypes() {
        for property in properties {
            guard let type = property.declaredType.unqualifiedType(named: "Values") else {
                continue
            }
            diagnostics.append(ItemMessage.hiddenType(property.name, "Values").at(type))
        }
    }

    private mutating func readIndexes(_ member: DeclSyntax) -> [ItemIndex] {
        ItemIndex.indexes(
            in: member, ofClass: name, attributes: properties.map { ($0.identifier, $0.name) },
            diagnostics: &diagnostics)
    }
}

extension IfConfigDeclSyntax {
    fileprivate var containsStoredProperty: Bool {
        clauses.contains { clause in
            guard case .decls(let members) = clause.elements else { return false }
            return members.contains { member in
                if let inner = member.decl.as(IfConfigDeclSyntax.self) {
                    return inner.containsStoredProperty
                }
                guard let variable = member.decl.as(VariableDeclSyntax.self) else { return false }
                return !variable.isStatic && variable.attribute(named: "Transient") == nil
                    && variable.bindings.contains { !$0.isComputed }
            }
        }
    }
}
