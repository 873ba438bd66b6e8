import SwiftDiagnostics
import SwiftSyntax

/// One index or uniqueness over attributes of a class, as `#Index` and `#Unique` declare it.
struct ItemIndex {
    let attributes: [String]
    let isUnique: Bool
    let ignoresCase: Bool

    /// The indexes that a member of the class declares: none unless it is one of the two macros.
    static func indexes(
        in member: DeclSyntax, ofClass className: String,
        attributes: [(identifier: String, name: String)], diagnostics: inout [Diagnostic]
    ) -> [ItemIndex] {
        guard let expansion = member.as(MacroExpansionDeclSyntax.self),
            ["Index", "Unique"].contains(expansion.macroName.text)
        else { return [] }
        let macro = expansion.macroName.text
        if let argument = expansion.genericArgumentClause?.arguments.first?.argument,
            case .type(let type) = argument,
            let last = type.as(MemberTypeSyntax.self)?.name
                ?? type.as(IdentifierTypeSyntax.self)?.name, last.text != className
        {
            diagnostics.append(
                ItemMessage.otherType(macro: macro, type: type.trimmedDescription).at(type))
            return []
        }
        var ignoresCase = false
        if let argument = expansion.arguments.first(where: { $0.label != nil }) {
            guard let literal = argument.expression.as(BooleanLiteralExprSyntax.self) else {
                diagnostics.append(ItemMessage.notTrueOrFalse("ignoringCase").at(argument))
                return []
            }
            ignoresCase = literal.literal.tokenKind == .keyword(.true)
        }
        // An array is filtered, because a filtered syntax list would be a copy without a position in the source.
        return Array(expansion.arguments).filter { $0.label == nil }.compactMap { argument in
            guard let elements = argument.expression.as(ArrayExprSyntax.self)?.elements,
                !elements.isEmpty
            else {
                diagnostics.append(ItemMessage.notAKeyPath(macro: macro).at(argument))
                return nil
            }
            var names: [String] = []
            for element in elements {
                guard let property = element.expression.propertyOfKeyPath else {
                    diagnostics.append(ItemMessage.notAKeyPath(macro: macro).at(element))
                    return nil
                }
                guard let name = attributes.first(where: { $0.identifier == property })?.name
                else {
                    diagnostics.append(
                        ItemMessage.notAnAttribute(macro: macro, property).at(element))
                    return nil
                }
                names.append(name)
            }
            return ItemIndex(
                attributes: names, isUnique: macro == "Unique", ignoresCase: ignoresCase)
        }
    }
}

extension ExprSyntax {
    /// The property of a key path with a single component.
    fileprivate var propertyOfKeyPath: String? {
        guard let components = self.as(KeyPathExprSyntax.self)?.components, components.count == 1,
            case .property(let property) = components.first?.component
        else { return nil }
        return property.declName.baseName.text
    }
}
