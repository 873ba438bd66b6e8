import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@_ItemAttribute(3)`: the getter and the setter of an attribute.
enum ItemAttributeMacro: AccessorMacro {
    static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        var ignored: [Diagnostic] = []
        guard let property = ItemProperty(declaration, diagnostics: &ignored),
            case .argumentList(let arguments) = node.arguments,
            let index = arguments.first?.expression.trimmed
        else {
            context.diagnose(ItemMessage.attributeOnNothing(macro: "_ItemAttribute").at(node))
            return []
        }
        if !property.isOptional, let value = property.initialValue {
            return [
                "get { attribute(at: \(index), default: \(value)) }",
                "set { setAttribute(newValue, at: \(index)) }",
            ]
        }
        return [
            "get { optionalAttribute(at: \(index)) }",
            "set { setOptionalAttribute(newValue, at: \(index)) }",
        ]
    }
}
