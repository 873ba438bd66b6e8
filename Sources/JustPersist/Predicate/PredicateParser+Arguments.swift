/// Placeholders, and the arguments that replace them.
extension PredicateParser {
    /// The argument of the placeholder at the current token, as a constant or a key path.
    mutating func argument(
        _ placeholder: String
    ) throws(PredicateSyntaxError) -> Expression {
        switch placeholder.drop(while: { "%hlqztjL".contains($0) }).first {
        case "@" where placeholder == "%@":
            let argument = try takeArgument(for: placeholder)
            return try constant(try converted(argument, for: placeholder))
        case "K" where placeholder == "%K":
            var path = PredicateKeyPath()
            try appendArgument(to: &path)
            return path.expression
        case "d", "D", "i", "u", "U", "x", "X", "o", "O":
            let argument = try takeArgument(for: placeholder)
            switch try converted(argument, for: placeholder) {
            case .int(let value): return try constant(.int(value))
            case .bool(let value): return try constant(.int(value ? 1 : 0))
            default: throw wrongArgument(argument, for: placeholder, wanted: "a whole number")
            }
        case "f", "F", "e", "E", "g", "G", "a", "A":
            let argument = try takeArgument(for: placeholder)
            guard case .double(let value) = try converted(argument, for: placeholder) else {
                throw wrongArgument(argument, for: placeholder, wanted: "a Double or a Float")
            }
            return try constant(.double(value))
        // As in every format: a percent sign, which can only be a text outside of a string.
        case nil where placeholder == "%%": return try constant(.string("%"))
        default:
            throw unsupported(
                "“\(placeholder)” here; the placeholders are %@, %K, %d, %ld, %u and %f")
        }
    }

    private mutating func constant(
        _ value: DataStoreValue
    ) throws(PredicateSyntaxError) -> Expression {
        try advance()
        return .value(value)
    }

    /// Consumes the argument of the `%K` at the current token, and appends its key path to another.
    mutating func appendArgument(
        to path: inout PredicateKeyPath
    ) throws(PredicateSyntaxError) {
        let argument = try takeArgument(for: "%K")
        guard case .string(let text) = try converted(argument, for: "%K") else {
            throw wrongArgument(argument, for: "%K", wanted: "a key path as a String")
        }
        if let problem = path.append(keyPath: text) { throw error(problem) }
        try advance()
    }

    private func converted(
        _ argument: Any?, for placeholder: String
    ) throws(PredicateSyntaxError) -> DataStoreValue {
        do throws(DataStoreError) {
            return try DataStoreValue(argument)
        } catch {
            throw self.error("The argument of \(placeholder) cannot be used: \(error.message)")
        }
    }

    private func wrongArgument(
        _ argument: Any?, for placeholder: String, wanted: String
    ) -> PredicateSyntaxError {
        let found = argument.map { "\(type(of: $0))" } ?? "nil"
        return error(
            "The placeholder \(placeholder) takes \(wanted), but the argument is \(found).")
    }
}
