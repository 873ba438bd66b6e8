import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

@testable import MacrosPlugin

/// What the macros make of a source text.
struct Expansion {
    let text: String
    let diagnostics: [Diagnostic]
    let messages: [String]
    private let source: String

    init(_ source: String) {
        self.source = source
        let file = Parser.parse(source: source)
        let context = BasicMacroExpansionContext(
            sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")])
        let expanded = file.expand(
            macroSpecs: Self.macros,
            contextGenerator: {
                BasicMacroExpansionContext(
                    sharingWith: context, lexicalContext: $0.allMacroLexicalContexts())
            }, indentationWidth: .spaces(4))
        text = expanded.description
        diagnostics = context.diagnostics
        messages = diagnostics.map {
            let place = context.location(
                of: $0.node, at: .afterLeadingTrivia, filePathMode: .filePath)
            // So it is for a copy of a node: the compiler does not find it.
            return place == nil ? "\($0.message), at no line" : $0.message
        }
    }

    /// The code that the diagnostics are shown at.
    var places: [String] { diagnostics.map { $0.node.trimmedDescription } }

    var fixes: [String] { diagnostics.flatMap(\.fixIts).map(\.message.message) }

    /// The source after the fix-it with that message; nil if there is none, or if it does not fit.
    func fixed(_ message: String) -> String? {
        let fix = diagnostics.flatMap(\.fixIts).first { $0.message.message == message }
        guard case .replace(let old, let new) = fix?.changes.first,
            let range = source.firstRange(of: old.description)
        else { return nil }
        return source.replacingCharacters(in: range, with: new.description)
    }

    private static let macros: [String: MacroSpec] = [
        "Item": MacroSpec(
            type: ItemMacro.self,
            conformances: ["DataStoreItem", "MutableDataStoreItem", "ItemWithValues"]),
        "_ItemAttribute": MacroSpec(type: ItemAttributeMacro.self),
        "Attribute": MacroSpec(type: AttributeMacro.self),
        "Transient": MacroSpec(type: TransientMacro.self),
        "Index": MacroSpec(type: IndexMacro.self),
        "Unique": MacroSpec(type: IndexMacro.self),
    ]
}

extension String {
    fileprivate func replacingCharacters(in range: Range<Index>, with text: String) -> String {
        String(self[..<range.lowerBound]) + text + self[range.upperBound...]
    }
}
