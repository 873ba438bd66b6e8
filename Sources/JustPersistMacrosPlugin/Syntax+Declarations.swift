import SwiftSyntax

extension WithAttributesSyntax {
    /// The attribute of that name, with or without a module before it.
    func attribute(named name: String) -> AttributeSyntax? {
        for case .attribute(let attribute) in attributes {
            let type = attribute.attributeName
            let last =
                type.as(MemberTypeSyntax.self)?.name ?? type.as(IdentifierTypeSyntax.self)?.name
            if last?.text == name { return attribute }
        }
        return nil
    }
}

extension VariableDeclSyntax {
    var isStatic: Bool {
        modifiers.contains {
            $0.name.tokenKind == .keyword(.static) || $0.name.tokenKind == .keyword(.class)
        }
    }

    /// This declaration with one more attribute, before all others.
    func addingAttribute(_ name: String) -> VariableDeclSyntax {
        var result = self.with(\.leadingTrivia, [])
        let attribute = AttributeSyntax(
            leadingTrivia: leadingTrivia,
            attributeName: IdentifierTypeSyntax(name: .identifier(name)),
            trailingTrivia: .space)
        result.attributes = [.attribute(attribute)] + result.attributes
        return result
    }
}

extension PatternBindingSyntax {
    /// Whether there is a getter; with observers alone the property is still a stored one.
    var isComputed: Bool {
        switch accessorBlock?.accessors {
        case .none: false
        case .getter: true
        case .accessors(let accessors):
            !accessors.allSatisfy {
                [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind)
            }
        }
    }
}

extension Syntax {
    /// The name of a type that this declares or extends, as a prefix of the types inside it.
    var typeName: String? {
        if let extended = self.as(ExtensionDeclSyntax.self)?.extendedType {
            return extended.trimmedDescription
        }
        let name = asProtocol((any NamedDeclSyntax).self)?.name
        return name?.identifier?.name ?? name?.text
    }
}

extension DeclSyntax {
    /// Whether this declares a type of that name.
    func declaresType(named name: String) -> Bool {
        let declared =
            asProtocol((any DeclGroupSyntax).self).flatMap {
                $0.asProtocol((any NamedDeclSyntax).self)
            } ?? self.as(TypeAliasDeclSyntax.self)
        return declared?.name.text == name
    }
}

extension TypeSyntax {
    /// The place where a type with that name is used without the name of its enclosing type.
    func unqualifiedType(named name: String) -> TokenSyntax? {
        tokens(viewMode: .sourceAccurate).first {
            $0.text == name && $0.previousToken(viewMode: .sourceAccurate)?.tokenKind != .period
        }
    }

    /// This type with each `Self` replaced by the name of a type.
    func naming(_ type: String) -> TypeSyntax {
        SelfReplacement(type).rewrite(self).as(TypeSyntax.self) ?? self
    }
}

extension ExprSyntax {
    /// This expression with each `Self` replaced by the name of a type, because `Self` is not valid in its new place.
    func naming(_ type: String) -> ExprSyntax {
        SelfReplacement(type).rewrite(self).as(ExprSyntax.self) ?? self
    }
}

private final class SelfReplacement: SyntaxRewriter {
    private let type: String

    init(_ type: String) {
        self.type = type
        super.init()
    }

    override func visit(_ token: TokenSyntax) -> TokenSyntax {
        token.tokenKind == .keyword(.Self) ? token.with(\.tokenKind, .identifier(type)) : token
    }
}
