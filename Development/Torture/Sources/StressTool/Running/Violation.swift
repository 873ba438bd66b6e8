/// A promise that a store has broken.
struct Violation: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Throws a violation unless something is so.
func require(_ isSo: Bool, _ otherwise: @autoclosure () -> String) throws {
    if !isSo { throw Violation(otherwise()) }
}

/// What a block throws that is to be rolled back.
struct Regret: Error {}
