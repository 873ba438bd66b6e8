import Foundation

#if canImport(Darwin)
    // Foundation has this expression only on Apple's systems.

    /// Another predicate, evaluated on the item or on a value.
    extension PredicateExpressions.PredicateEvaluate: ConvertibleExpression {
        func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
            guard
                let predicate = (predicate as? any ConstantExpression)?.constant
                    as? Predicate<repeat (each Input).Output>
            else { throw conversion.unsupported(self) }
            var inner = conversion
            for (variable, input) in repeat (each predicate.variable, each input) {
                inner.bind(variable, to: try conversion.term(input))
            }
            return .operand(.condition(try inner.condition(predicate.expression)))
        }
    }
#endif

/// An expression, evaluated on the item or on a value.
extension PredicateExpressions.ExpressionEvaluate: ConvertibleExpression {
    func term(in conversion: Conversion) throws(DataStoreError) -> Conversion.Term {
        guard
            let expression = (expression as? any ConstantExpression)?.constant
                as? Foundation.Expression<repeat (each Input).Output, Output>
        else { throw conversion.unsupported(self) }
        var inner = conversion
        for (variable, input) in repeat (each expression.variable, each input) {
            inner.bind(variable, to: try conversion.term(input))
        }
        return try inner.term(expression.expression)
    }
}
