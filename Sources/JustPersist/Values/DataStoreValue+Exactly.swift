import Foundation

extension DataStoreValue {
    /// This value as one of another kind, where nothing is lost; `nil` where there is no such value.
    ///
    /// A whole number becomes a Double that is equal to it or a Decimal, a Double that is whole an Int, and
    /// a truth value the Int 0 or 1. All other kinds are kept apart.
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
