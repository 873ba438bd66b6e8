import Foundation

/// What a fresh process found in a store: the words in which a judge answers the driver.
public struct Verdict: Codable, Sendable, Equatable {
    /// Why the store could not be opened.
    public var openError: String?
    /// The blocks that have their entry in the store.
    public var blocks: [Int] = []
    /// Answers with a value that was never written.
    public var wrongValues: [String] = []
    /// Answers with what an item was before it was changed.
    public var olderValues: [String] = []
    /// Answers with rows missing, doubled or out of order, wrong counts, items not found by their id.
    public var wrongRows: [String] = []
    /// Relationships with others missing, out of order or more than there are.
    public var wrongLinks: [String] = []
    /// Errors that the store gave in place of an answer.
    public var errors: [String] = []
    /// What `verify` told.
    public var problems: [String] = []
    /// Why a further block could not be written, where one was asked for.
    public var writeError: String?

    /// A verdict on which nothing is known yet.
    public init() {}

    /// Whether every answer was given and right, and `verify` had nothing to tell.
    public var isSound: Bool { isRight && errors.isEmpty && problems.isEmpty && openError == nil }

    /// Whether no answer was wrong, though some may have been refused.
    public var isRight: Bool {
        wrongValues.isEmpty && olderValues.isEmpty && wrongRows.isEmpty && wrongLinks.isEmpty
    }

    /// What is not as it should be, in one line.
    public var summary: String {
        let parts = [
            openError.map { "cannot be opened: \($0)" },
            wrongValues.first.map { "wrong value: \($0)" },
            olderValues.first.map { "older value: \($0)" },
            wrongRows.first.map { "wrong rows: \($0)" },
            wrongLinks.first.map { "wrong links: \($0)" },
            errors.first.map { "refused: \($0)" },
            problems.first.map { "verify: \($0)" },
            writeError.map { "no further write: \($0)" },
        ]
        return parts.compactMap(\.self).joined(separator: "; ")
    }

    /// The line that carries it.
    public var line: String {
        get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
    }
}
