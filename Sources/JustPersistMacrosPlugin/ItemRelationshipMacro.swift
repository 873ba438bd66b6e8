import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// `@_ItemRelationship`: the getter and the setter of a relationship.
enum ItemRelationshipMacro: AccessorMacro {
    static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        var ignored: [Diagnostic] = []
        return ItemRelationship(declaration, diagnostics: &ignored)?.accessors ?? []
    }
}
