public import Foundation

/// A failure of a store: what happened, in which operation, to what, and what to do about it.
///
/// Every failure of a store is of this one type. Distinguish failures by ``code``, show ``message`` to users, and
/// keep ``engine`` for the log. Errors that your own blocks throw pass through unchanged.
public struct DataStoreError: Error, Sendable {
    /// The kind of failure.
    ///
    /// Codes are stable: compare with them, store them, switch over them.
    public let code: Code
    /// The operation that failed: "open", "read", "write", "fetch", "setValue" and the like.
    public let operation: String
    /// One sentence for the user: what happened, to what, and what to do next.
    public var message: String { advice.map { "\(fact) \($0)" } ?? fact }
    /// The message without the advice.
    package internal(set) var fact: String
    /// The next step for a program that uses this library's Swift interface; a tool shows its own advice instead.
    package let advice: String?
    /// The ``DataStoreItem/itemTypeKey`` of the type concerned, if one is.
    public var itemType: String?
    /// The attribute concerned, if one is.
    public var attribute: String?
    /// The item whose record is damaged, if that is the failure.
    package var damagedItem: ItemID? {
        get { details.damagedItem }
        set { details.damagedItem = newValue }
    }
    /// The storage engine's own report, if there is one.
    public var engine: EngineFailure? {
        get { details.engine }
        set { details.engine = newValue }
    }
    /// The position in a text that could not be parsed, if that is the failure.
    public var location: Location? {
        get { details.location }
        set { details.location = newValue }
    }
    /// The conflicting changes of a child store and its parent, if a merge failed because of them.
    public var conflicts: [MergeConflict] {
        get { details.conflicts }
        set { details.conflicts = newValue }
    }
    /// Identifies the commit whose outcome is unknown, if that is the failure.
    ///
    /// The backend can determine the outcome later. Keep the token if your program must know it.
    public var commitToken: CommitToken? {
        get { details.commitToken }
        set { details.commitToken = newValue }
    }

    /// Whether this error has already been reported to the error handler.
    ///
    /// A store sets this on an error that it reports first and throws later, so that it is not reported twice.
    public var isReported = false

    /// The details that most failures do not have.
    ///
    /// They are in a box, because each function that can throw has room for an error in its frame, and the deepest
    /// predicates must fit a small stack.
    private var box: DetailsBox?

    private struct Details: Sendable {
        var damagedItem: ItemID?
        var engine: EngineFailure?
        var location: Location?
        var conflicts: [MergeConflict] = []
        var commitToken: CommitToken?
    }

    private final class DetailsBox: Sendable {
        let details: Details

        init(_ details: Details) { self.details = details }
    }

    private var details: Details {
        get { box?.details ?? Details() }
        set { box = DetailsBox(newValue) }
    }

    /// An error with a code, the operation that failed, and a message a user can act on.
    public init(
        _ code: Code, in operation: String, _ message: String,
        itemType: String? = nil, attribute: String? = nil,
        engine: EngineFailure? = nil, location: Location? = nil
    ) {
        self.init(
            code, in: operation, message, advice: nil, itemType: itemType, attribute: attribute,
            engine: engine, location: location)
    }

    /// An error whose message ends in advice that names Swift declarations.
    package init(
        _ code: Code, in operation: String, _ fact: String, advice: String?,
        itemType: String? = nil, attribute: String? = nil,
        engine: EngineFailure? = nil, location: Location? = nil
    ) {
        self.code = code
        self.operation = operation
        self.fact = fact
        self.advice = advice
        self.itemType = itemType
        self.attribute = attribute
        if engine != nil || location != nil {
            details = Details(engine: engine, location: location)
        }
    }

    /// The failure that the storage engine reported: its name, its error number if it has one, and its text.
    public struct EngineFailure: Sendable, Hashable {
        /// The engine: "LMDB", "LevelDB".
        public let name: String
        /// The engine's own error number, for engines that have numbers.
        public let code: Int?
        /// The engine's own text.
        public let text: String

        /// A failure as the engine reported it.
        public init(name: String, code: Int? = nil, text: String) {
            self.name = name
            self.code = code
            self.text = text
        }
    }

    /// A position in a text, such as a predicate's format.
    public struct Location: Sendable, Hashable {
        /// The whole text.
        public let text: String
        /// The position, counted in characters from the start of ``text``; at most its length.
        public let offset: Int

        /// The position `offset` characters into `text`.
        public init(text: String, offset: Int) {
            self.text = text
            self.offset = offset
        }

        /// The line of the text that holds the position, and below it a caret under the position.
        ///
        /// Of a long line, 60 characters on either side of the position are shown, with `…` for the rest. Control
        /// characters are escaped, as `\u{1b}`, so that they do not affect a terminal.
        public var excerpt: String {
            let place = text.index(
                text.startIndex, offsetBy: max(offset, 0), limitedBy: text.endIndex)
            let (head, tail) = (
                text[..<(place ?? text.endIndex)], text[(place ?? text.endIndex)...]
            )
            let lineHead = head[
                (head.lastIndex(where: \.isNewline).map(head.index(after:)) ?? head.startIndex)...]
            let lineTail = tail.prefix { !$0.isNewline }
            let (shownHead, shownTail) = (lineHead.suffix(60), lineTail.prefix(60))
            let before =
                (shownHead.startIndex > lineHead.startIndex ? "…" : "")
                + String(shownHead).printable
            let after =
                String(shownTail).printable + (shownTail.endIndex < lineTail.endIndex ? "…" : "")
            return before + after + "\n" + String(repeating: " ", count: before.count) + "^"
        }
    }
}

extension DataStoreError: LocalizedError, CustomStringConvertible {
    /// The ``message``, so that `localizedDescription` shows it.
    public var errorDescription: String? { message }

    /// The operation, the message, the position if there is one, and the engine's own text.
    public var description: String {
        var text = "\(operation): \(message)"
        if let engine {
            let number = engine.code.map { " \($0)" } ?? ""
            text += " (\(engine.name)\(number): \(engine.text))"
        }
        if let location { text += "\n" + location.excerpt }
        return text + " [\(code.rawValue)]"
    }
}
