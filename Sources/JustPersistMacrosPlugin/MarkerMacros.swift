import SwiftSyntax
import SwiftSyntaxMacros

/// `@Attribute`: `@Item` reads it; this only checks its position.
enum AttributeMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        checkPlace(of: node, "Attribute", on: declaration, in: context)
        return []
    }
}

/// `@Relationship`: `@Item` reads it; this only checks its position.
enum RelationshipMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        checkPlace(of: node, "Relationship", on: declaration, in: context)
        return []
    }
}

/// `@Transient`: `@Item` reads it; this only checks its position.
enum TransientMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        checkPlace(of: node, "Transient", on: declaration, in: context)
        return []
    }
}

/// `#Index` and `#Unique`: `@Item` reads them; this only checks their position.
enum IndexMacro: DeclarationMacro {
    static func expansion(
        of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        if !context.isInItemClass {
            context.diagnose(ItemMessage.outsideItem(macro: "#\(node.macroName.text)").at(node))
        }
        return []
    }
}

extension PeerMacro {
    fileprivate static func checkPlace(
        of node: AttributeSyntax, _ name: String, on declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) {
        let variable = declaration.as(VariableDeclSyntax.self)
        let isStored = variable?.bindings.contains { !$0.isComputed } ?? false
        if !isStored || variable?.isStatic ?? false {
            context.diagnose(ItemMessage.attributeOnNothing(macro: name).at(node))
        } else if !context.isInItemClass {
            context.diagnose(ItemMessage.outsideItem(macro: "@\(name)").at(node))
        }
    }
}

extension MacroExpansionContext {
    /// Whether the macro is directly in the body of an `@Item` class.
    fileprivate var isInItemClass: Bool {
        lexicalContext.first?.as(ClassDeclSyntax.self)?.attribute(named: "Item") != nil
    }
}
