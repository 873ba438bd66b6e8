import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@_ItemAttribute(3)`: the getter and the setter of an attribute, or of a relationship that its type declares.
///
/// `@_ItemAttribute(3, after: "[Book]")`: the same after an array that takes a place among the attributes only if it is one.
enum ItemAttributeMacro: AccessorMacro {
    static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        var ignored: [Diagnostic] = []
        guard let property = ItemProperty(declaration, diagnostics: &ignored),
            case .argumentList(let arguments) = node.arguments,
            let place = arguments.first?.expression.trimmed
        else {
            context.diagnose(ItemMessage.attributeOnNothing(macro: "_ItemAttribute").at(node))
            return []
        }
        let arrays = arguments.dropFirst().compactMap(\.expression.literalString)
        let index =
            (["\(place)"] + arrays.map { "JustPersist.AttributeSchema.places(of: \($0).self)" })
            .joined(separator: " + ")
        if property.mayBeToMany {
            let name = "\(StringLiteralExprSyntax(content: property.name))"
            return [
                "get { attribute(at: \(raw: index), named: \(raw: name), default: []) }",
                "set { setAttribute(newValue, at: \(raw: index), named: \(raw: name)) }",
            ]
        }
        if !property.isOptional, let value = property.initialValue {
            let label = property.options.keepsUnknown ? "orUnknown" : "default"
            return [
                "get { attribute(at: \(raw: index), \(raw: label): \(value)) }",
                "set { setAttribute(newValue, at: \(raw: index)) }",
            ]
        }
        let getter =
            property.options.keepsUnknown ? "optionalAttributeOrUnknown" : "optionalAttribute"
        return [
            "get { \(raw: getter)(at: \(raw: index)) }",
            "set { setOptionalAttribute(newValue, at: \(raw: index)) }",
        ]
    }
}
