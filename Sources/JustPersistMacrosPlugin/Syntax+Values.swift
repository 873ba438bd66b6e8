import SwiftSyntax

extension TypeSyntax {
    /// Whether the type is known to be `Hashable` and `Sendable`, or consists of such types.
    var isKnownValueType: Bool {
        if let wrapped { return wrapped.isKnownValueType }
        if let array = self.as(ArrayTypeSyntax.self) { return array.element.isKnownValueType }
        if let dictionary = self.as(DictionaryTypeSyntax.self) {
            return dictionary.key.isKnownValueType && dictionary.value.isKnownValueType
        }
        let name: TokenSyntax
        if let type = self.as(IdentifierTypeSyntax.self), type.genericArgumentClause == nil {
            name = type.name
        } else if let type = self.as(MemberTypeSyntax.self), type.genericArgumentClause == nil,
            ["Swift", "Foundation", "JustPersist"].contains(type.baseType.trimmedDescription)
        {
            name = type.name
        } else {
            return false
        }
        return Self.knownValueTypes.contains(name.text)
    }

    /// Whether the type may be an item class: it has a name alone, and is no known type of values.
    var mayBeItemClass: Bool {
        if isKnownValueType { return false }
        if let type = self.as(MemberTypeSyntax.self) { return type.genericArgumentClause == nil }
        return self.as(IdentifierTypeSyntax.self).map { $0.genericArgumentClause == nil } ?? false
    }

    private static var knownValueTypes: Set<String> {
        [
            "String", "Bool", "Double", "Float", "Int", "Int8", "Int16", "Int32", "Int64", "UInt",
            "UInt8", "UInt16", "UInt32", "UInt64", "Date", "Data", "UUID", "URL", "Decimal",
            "ItemID", "ItemReference", "DataStoreValue",
        ]
    }
}

extension ExprSyntax {
    /// Whether the expression uses only declarations of the standard library.
    var isSelfContained: Bool {
        if self.is(IntegerLiteralExprSyntax.self) || self.is(FloatLiteralExprSyntax.self)
            || self.is(BooleanLiteralExprSyntax.self) || self.is(NilLiteralExprSyntax.self)
            || literalString != nil
        {
            return true
        }
        if let prefixed = self.as(PrefixOperatorExprSyntax.self) {
            return prefixed.expression.isSelfContained
        }
        if let array = self.as(ArrayExprSyntax.self) {
            return array.elements.allSatisfy { $0.expression.isSelfContained }
        }
        guard let dictionary = self.as(DictionaryExprSyntax.self) else { return false }
        switch dictionary.content {
        case .colon: return true
        case .elements(let elements):
            return elements.allSatisfy { $0.key.isSelfContained && $0.value.isSelfContained }
        }
    }
}
