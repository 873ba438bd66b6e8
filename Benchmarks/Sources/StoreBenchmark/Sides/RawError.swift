/// What an engine said when a call of it failed.
struct RawError: Error, CustomStringConvertible {
    let engine: String
    let text: String

    var description: String { "\(engine): \(text)" }
}
