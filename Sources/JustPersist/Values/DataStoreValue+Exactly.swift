import Foundation

extension DataStoreValue {
    /// This value converted exactly to another kind; `nil` if that is not possible.
    ///
    /// A whole number becomes an equal Double or a Decimal, a Double without a fraction an Int, and a truth value the
    /// Int 0 or 1. Other kinds are never converted.
    public func exactly(as kind: Kind) -> DataStoreValue? {
        switch (self, kind) {
        case (_, self.kind): self
        case (.int(let value), .double): Double(exactly: value).map { .double($0) }
        case (.int(let value), .decimal): .decimal(Decimal(value))
        case (.double(let value), .int): Int64(exactly: value).map { .int($0) }
        case (.bool(let value), .int): .int(value ? 1 : 0)
        default: nil
        }
    }
}
