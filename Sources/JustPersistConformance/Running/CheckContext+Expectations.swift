import JustPersist

/// The expectations of a check. Calls are counted, so that a check that expects nothing is detected.
///
/// `file` and `line` are the place that a failure shows: the check's own, where a helper demands something for
/// it. `inner` is the line of the demand itself.
extension CheckContext {
    /// Demands a condition; the message says what was done, what came and what the contract wants.
    func expect(
        _ condition: Bool, _ message: @autoclosure () -> String, file: String = #fileID,
        line: Int = #line, via inner: Int = #line
    ) {
        let place = Self.place(file, line)
        recorder.record(at: place, via: inner)
        if !condition { recorder.fail(message(), at: place) }
    }

    /// Demands that two values are equal.
    func expectEqual<Value: Equatable>(
        _ actual: Value, _ expected: Value, _ what: @autoclosure () -> String,
        file: String = #fileID, line: Int = #line, via inner: Int = #line
    ) {
        expect(
            actual == expected,
            "\(what()): expected \(Self.text(expected)), got \(Self.text(actual))", file: file,
            line: line, via: inner)
    }

    /// Demands that a call is refused with one of these codes, and gives the error.
    @discardableResult
    func expectError(
        _ codes: DataStoreError.Code..., what: @autoclosure () -> String, file: String = #fileID,
        line: Int = #line, via inner: Int = #line, _ body: () throws -> Void
    ) -> DataStoreError? {
        let place = Self.place(file, line)
        recorder.record(at: place, via: inner)
        let wanted = codes.map(\.rawValue).joined(separator: " or ")
        do {
            try body()
            recorder.fail("\(what()): expected the error \(wanted), but it succeeded", at: place)
        } catch let error as DataStoreError {
            if codes.contains(error.code) || codes.isEmpty { return error }
            recorder.fail("\(what()): expected the error \(wanted), got \(error)", at: place)
        } catch {
            recorder.fail(
                "\(what()): expected a DataStoreError \(wanted), got \(error) of type \(type(of: error))",
                at: place)
        }
        return nil
    }

    /// Demands that a call succeeds.
    func expectSuccess(
        _ what: @autoclosure () -> String, file: String = #fileID, line: Int = #line,
        via inner: Int = #line,
        _ body: () throws -> Void
    ) {
        do {
            try body()
            expect(true, "", file: file, line: line, via: inner)
        } catch {
            expect(
                false, "\(what()): expected no error, got \(error)", file: file, line: line,
                via: inner)
        }
    }

    /// Demands that a call throws, and gives the error.
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

    /// Demands a value, without which the check cannot go on.
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

    /// The last error that a store reported, as the end of a message: what a call that cannot throw says so.
    private var lastReported: String {
        errors.all.last.map { "; the store reported \($0)" } ?? ""
    }

    /// Demands a condition, without which the check cannot go on.
    func require(
        _ condition: Bool, _ message: @autoclosure () -> String, file: String = #fileID,
        line: Int = #line, via inner: Int = #line
    ) throws {
        expect(condition, message(), file: file, line: line, via: inner)
        if !condition { throw CheckStop.failed }
    }

    /// Records that a demand was not met.
    func fail(_ message: String, file: String = #fileID, line: Int = #line, via inner: Int = #line)
    {
        expect(false, message, file: file, line: line, via: inner)
    }

    private static func place(_ file: String, _ line: Int) -> String {
        "\(file.split(separator: "/").last ?? ""):\(line)"
    }

    /// A value in a message: not longer than a person reads.
    private static func text(_ value: some Any) -> String {
        let text = fullText(value)
        guard text.utf8.count > 400 else { return text }
        return "\(text.prefix(200)) … \(text.suffix(100)) (\(text.count) characters)"
    }

    private static func fullText(_ value: some Any) -> String {
        // Foundation traps when it is to describe a date that is infinite or no number.
        if let value = value as? DataStoreValue { return value.shortText }
        if let values = value as? [DataStoreValue?] {
            return "[\(values.map { $0?.shortText ?? "nil" }.joined(separator: ", "))]"
        }
        return String(describing: value)
    }
}
