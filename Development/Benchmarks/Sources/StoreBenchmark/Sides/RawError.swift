/// The error of a failed call of an engine.
struct RawError: Error, CustomStringConvertible {
    let engine: String
    let text: String

    var description: String { "\(engine): \(text)" }
}
