import SwiftDiagnostics
import SwiftSyntax

/// The options in the `@Attribute` of a property.
struct AttributeOptions {
    private(set) var isUnique = false
    private(set) var isIndexed = false
    private(set) var ignoresCase = false
    private(set) var originalName: String?
    /// Whether a value that is no case of an enum is kept, and not reported.
    private(set) var keepsUnknown = false
    /// The `@Attribute`, if there is one.
    let syntax: AttributeSyntax?

    init(of variable: VariableDeclSyntax, diagnostics: inout [Diagnostic]) {
        syntax = variable.attribute(named: "Attribute")
        guard case .argumentList(let arguments) = syntax?.arguments else { return }
        for argument in arguments {
            if argument.label?.text == "originalName" {
                read(originalName: argument.expression, diagnostics: &diagnostics)
                continue
            }
            if argument.label?.text == "unknown" {
                keepsUnknown =
                    argument.expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text
                    == "keep"
                continue
            }
            switch argument.expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text {
            case "unique": isUnique = true
            case "indexed": isIndexed = true
            case "ignoringCase": ignoresCase = true
            default: diagnostics.append(ItemMessage.unknownOption.at(argument.expression))
            }
        }
        if ignoresCase, !isUnique, !isIndexed, let syntax {
            diagnostics.append(ItemMessage.ignoringCaseAlone.at(syntax))
        }
    }

    private mutating func read(
        originalName expression: ExprSyntax, diagnostics: inout [Diagnostic]
    ) {
        if expression.is(NilLiteralExprSyntax.self) { return }
        guard let name = expression.literalString else {
            diagnostics.append(ItemMessage.notALiteral("originalName").at(expression))
            return
        }
        guard name.isAttributeName else {
            diagnostics.append(ItemMessage.invalidName(name).at(expression))
            return
        }
        originalName = name
    }
}

extension String {
    /// Whether an attribute can have this name.
    var isAttributeName: Bool { isTypeKey && !contains(".") }

    /// Whether a type can have this name.
    var isTypeKey: Bool { !isEmpty && utf8.count <= 255 }
}
