/// Why nothing was written.
struct ScaffoldError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
