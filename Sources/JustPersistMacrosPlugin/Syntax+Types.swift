import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder

extension TypeSyntax {
    /// The type inside an optional in any notation; nil for other types.
    var wrapped: TypeSyntax? {
        if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType.plain }
        let name: TokenSyntax
        let generics: GenericArgumentClauseSyntax?
        if let type = plain.as(IdentifierTypeSyntax.self) {
            (name, generics) = (type.name, type.genericArgumentClause)
        } else if let type = plain.as(MemberTypeSyntax.self),
            type.baseType.trimmedDescription == "Swift"
        {
            (name, generics) = (type.name, type.genericArgumentClause)
        } else {
            return plain.is(OptionalTypeSyntax.self) ? plain.wrapped : nil
        }
        guard name.text == "Optional", let argument = generics?.arguments.first?.argument,
            case .type(let type) = argument
        else { return nil }
        return type.plain
    }

    /// The type without parentheses around it.
    private var plain: TypeSyntax {
        guard let elements = self.as(TupleTypeSyntax.self)?.elements, elements.count == 1,
            let element = elements.first, element.firstName == nil
        else { return self }
        return element.type.plain
    }

    /// The reason why no attribute can have this type; nil if the compiler decides.
    func refusal(forProperty name: String) -> Diagnostic? {
        if let type = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            let optional = OptionalTypeSyntax(
                wrappedType: type.wrappedType, trailingTrivia: type.trailingTrivia)
            return ItemMessage.implicitlyUnwrapped(name).at(
                self, fixIts: [ItemFix.makeOptional.replacing(type, with: optional)])
        }
        if let wrapped {
            return wrapped.wrapped == nil
                ? wrapped.refusal(forProperty: name) : ItemMessage.nestedOptional(name).at(self)
        }
        let type = plain
        if let array = type.as(ArrayTypeSyntax.self) {
            return array.element.refusal(forProperty: name)
        }
        if let dictionary = type.as(DictionaryTypeSyntax.self) {
            return dictionary.value.refusal(forProperty: name)
        }
        return type.unstorableKind.map {
            ItemMessage.unstorable(name, type: type.trimmedDescription, is: $0).at(self)
        }
    }

    private var unstorableKind: String? {
        if let attributed = self.as(AttributedTypeSyntax.self) {
            return attributed.baseType.plain.unstorableKind
        }
        if self.is(TupleTypeSyntax.self) { return "a tuple" }
        if self.is(FunctionTypeSyntax.self) { return "a function" }
        if self.is(MetatypeTypeSyntax.self) { return "a metatype" }
        let isExistential =
            self.is(SomeOrAnyTypeSyntax.self) || self.is(CompositionTypeSyntax.self)
            || ["Any", "AnyObject"].contains(trimmedDescription)
        return isExistential ? "not a single concrete type" : nil
    }
}

extension ExprSyntax {
    /// The type of an unambiguous literal.
    var literalType: TypeSyntax? {
        if let prefixed = self.as(PrefixOperatorExprSyntax.self) {
            let isNumber =
                prefixed.expression.is(IntegerLiteralExprSyntax.self)
                || prefixed.expression.is(FloatLiteralExprSyntax.self)
            return isNumber ? prefixed.expression.literalType : nil
        }
        if self.is(IntegerLiteralExprSyntax.self) { return "Int" }
        if self.is(FloatLiteralExprSyntax.self) { return "Double" }
        if self.is(StringLiteralExprSyntax.self) { return "String" }
        if self.is(BooleanLiteralExprSyntax.self) { return "Bool" }
        return nil
    }

    /// The text of a string literal without interpolation.
    var literalString: String? { self.as(StringLiteralExprSyntax.self)?.representedLiteralValue }
}
