import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main struct JustPersistMacrosPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        ItemMacro.self, ItemAttributeMacro.self, AttributeMacro.self, TransientMacro.self,
        RelationshipMacro.self, ItemRelationshipMacro.self, IndexMacro.self,
    ]
}
