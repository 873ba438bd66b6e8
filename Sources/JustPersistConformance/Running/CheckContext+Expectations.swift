import JustPersist

/// The expectations of a check. Calls are counted, so that a check without expectations is detected.
///
/// `file` and `line` are the place that a failure shows. If a helper states the expectation, they are the place in the
/// check that called the helper, and `inner` is the line of the expectation itself.
extension CheckContext {
    /// Expects a condition.
    ///
    /// The message states the operation, its result, and the result that the contract requires.
    func expect(
        _ condition: Bool, _ message: @autoclosure () -> String, file: String = #fileID,
        line: Int = #line, via inner: Int = #line
    ) {
        let place = Self.place(file, line)
        recorder.record(at: place, via: inner)
        if !condition { recorder.fail(message(), at: place) }
    }

    /// Expects that two values are equal.
    func expectEqual<Value: Equatable>(
        _ actual: Value, _ expected: Value, _ what: @autoclosure () -> String,
        file: String = #fileID, line: Int = #line, via inner: Int = #line
    ) {
        expect(actual == expected, actual, expected, what(), file: file, line: line, via: inner)
    }

    /// Expects a condition of two values, which are shown if it is not met.
    func expect(
        _ condition: Bool, _ actual: Any, _ expected: Any, _ what: @autoclosure () -> String,
        file: String = #fileID, line: Int = #line, via inner: Int = #line
    ) {
        func message() -> String {
            if let dump = actual as? StoreDump, let wanted = expected as? StoreDump {
                return "\(what()):\n\(dump.difference(from: wanted) ?? "")"
            }
            let (actual, expected) = ReadableText.pair(actual, expected)
            return "\(what()): expected \(expected), got \(actual)"
        }
        expect(condition, message(), file: file, line: line, via: inner)
    }

    /// Expects that an operation had no error.
    func expectNoError(
        _ error: (any Error)?, _ what: @autoclosure () -> String, file: String = #fileID,
        line: Int = #line, via inner: Int = #line
    ) {
        expect(
            error == nil, "\(what()): expected no error, got \(error.map { "\($0)" } ?? "")",
            file: file, line: line, via: inner)
    }

    /// Expects that a call is refused with one of these codes, and returns the error.
    @discardableResult
    func expectError(
        _ codes: DataStoreError.Code..., what: @autoclosure () -> String, file: String = #fileID,
        line: Int = #line, via inner: Int = #line, _ body: () throws -> Void
    ) -> DataStoreError? {
        let wanted = codes.map(\.rawValue).joined(separator: " or ")
        guard
            let thrown = expectThrows(
                "\(what()), with \(wanted)", file: file, line: line, via: inner, body)
        else { return nil }
        if let error = thrown as? DataStoreError, codes.isEmpty || codes.contains(error.code) {
            return error
        }
        recorder.fail(
            "\(what()): expected the error \(wanted), got \(thrown) of type \(type(of: thrown))",
            at: Self.place(file, line))
        return nil
    }

    /// Expects that a call succeeds.
    func expectSuccess(
        _ what: @autoclosure () -> String, file: String = #fileID, line: Int = #line,
        via inner: Int = #line,
        _ body: () throws -> Void
    ) {
        var failure: (any Error)?
        do { try body() } catch { failure = error }
        expectNoError(failure, what(), file: file, line: line, via: inner)
    }

    /// Expects that a call throws, and returns the error.
    func expectThrows(
        _ what: @autoclosure () -> String, file: String = #fileID, line: Int = #line,
        via inner: Int = #line,
        _ body: () throws -> Void
    ) -> (any Error)? {
        let place = Self.place(file, line)
        recorder.record(at: place, via: inner)
        do {
            try body()
            recorder.fail("\(what()): expected an error, but it succeeded", at: place)
            return nil
        } catch {
            return error
        }
    }

    /// Requires a value, without which the check cannot continue.
    func require<Value>(
        _ value: Value?, _ what: @autoclosure () -> String, file: String = #fileID,
        line: Int = #line, via inner: Int = #line
    ) throws -> Value {
        expect(
            value != nil, "\(what()): expected a value, got nil\(lastReported)", file: file,
            line: line, via: inner)
        guard let value else { throw CheckStop.failed }
        return value
    }

    /// The last error that a store reported, as the end of a message: calls that cannot throw report their errors.
    private var lastReported: String {
        errors.all.last.map { "; the store reported \($0)" } ?? ""
    }

    /// Requires a condition, without which the check cannot continue.
    func require(
        _ condition: Bool, _ message: @autoclosure () -> String, file: String = #fileID,
        line: Int = #line, via inner: Int = #line
    ) throws {
        expect(condition, message(), file: file, line: line, via: inner)
        if !condition { throw CheckStop.failed }
    }

    /// Records that an expectation was not met.
    func fail(_ message: String, file: String = #fileID, line: Int = #line, via inner: Int = #line)
    {
        expect(false, message, file: file, line: line, via: inner)
    }

    private static func place(_ file: String, _ line: Int) -> String {
        "\(file.split(separator: "/").last ?? ""):\(line)"
    }
}
