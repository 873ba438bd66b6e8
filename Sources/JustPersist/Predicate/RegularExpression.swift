import Foundation

/// A regular expression that is matched against whole texts, as by MATCHES.
struct RegularExpression: Sendable {
    /// The expression, as it was given.
    let pattern: String
    private let options: DataStorePredicate.Options
    private let expression: NSRegularExpression
    private let ignoresMarks: Bool

    /// The expressions compiled last, the newest last.
    ///
    /// Each is needed to check a predicate and to evaluate it, and programs use the same few again. Compiling one takes
    /// as long as matching it against ten texts.
    private static let recent = Locked<[RegularExpression]>([], isProcessWide: true)
    private static let mostRecent = 16
    /// A longer expression is not kept, because it takes much memory.
    private static let mostKeptBytes = 1024

    /// Throws `.invalidPredicate` if the pattern is not a regular expression, `.limitExceeded` if it is longer than
    /// the text of a predicate may be.
    init(_ pattern: String, _ options: DataStorePredicate.Options) throws(DataStoreError) {
        let limit = DataStorePredicate.Limit.formatBytes
        guard pattern.utf8.count <= limit else {
            throw DataStoreError(
                .limitExceeded, in: "predicate",
                "A regular expression has \(pattern.utf8.count) bytes, and the limit is \(limit).")
        }
        let known = Self.recent.withLock { recent in
            recent.last { $0.options == options && $0.pattern.utf8.elementsEqual(pattern.utf8) }
        }
        if let known {
            self = known
            return
        }
        self.pattern = pattern
        self.options = options
        ignoresMarks = options.folding.contains(.diacriticInsensitive)
        let isCaseInsensitive = options.folding.contains(.caseInsensitive)
        let text = Self.read(pattern, ignoresMarks)
        func compiled(_ text: String) -> NSRegularExpression? {
            try? NSRegularExpression(
                pattern: text, options: isCaseInsensitive ? .caseInsensitive : [])
        }
        // Compiled on its own first, so that it cannot close the group that is put around it.
        let isWhole = text.isEmpty || compiled(text) != nil
        // An unclosed quotation or comment would include the text that follows.
        let ends = [")\\z", "\\E)\\z", "\n)\\z"]
        guard isWhole,
            let expression = ends.lazy.compactMap({ compiled("\\A(?:" + text + $0) }).first
        else {
            throw DataStoreError(
                .invalidPredicate, in: "predicate",
                """
                “\(Self.excerpt(of: pattern))” is no regular expression. Check its brackets and its backslashes, of \
                which a format needs two for each.
                """)
        }
        self.expression = expression
        guard pattern.utf8.count <= Self.mostKeptBytes else { return }
        Self.recent.withLock { [self] recent in
            if recent.count == Self.mostRecent { recent.removeFirst() }
            recent.append(self)
        }
    }

    /// Whether a whole text matches.
    ///
    /// Throws `.limitExceeded` if that takes more steps than ``DataStorePredicate/Operator/matches`` allows.
    func matches(
        _ other: String, _ scope: inout PredicateScope
    ) throws(DataStoreError) -> Bool {
        let text = Self.read(other, ignoresMarks)
        let length = text.utf16.count
        let reportsForText = length / 500
        let search = Search()
        // The progress is reported after every ten thousand steps, so that a search always ends in the same way.
        // Unsafe because of the pointer that stops Foundation, which is valid during the call.
        unsafe expression.enumerateMatches(
            in: text, options: [.reportProgress, .reportCompletion],
            range: NSRange(location: 0, length: length)
        ) { match, flags, stop in
            if match != nil { search.hasMatch = true }
            if flags.contains(.internalError) { search.hasFailed = true }
            if flags.contains(.progress) {
                search.reports += 1
                if search.reports > reportsForText + 100 { search.hasFailed = true }
                do throws(DataStoreError) { try WorkLimit.check() } catch { search.end = error }
            }
            if search.hasMatch || search.hasFailed || search.end != nil {
                unsafe stop.pointee = true
            }
        }
        if let end = search.end { throw end }
        try scope.count(reports: max(0, search.reports - reportsForText))
        if search.hasMatch { return true }
        if !search.hasFailed { return false }
        throw DataStoreError(
            .limitExceeded, in: "predicate",
            """
            MATCHES “\(Self.excerpt(of: pattern))” was given up after a million steps on a string of \(length) UTF-16 \
            units. Write the expression without repetitions inside repetitions, such as (a+)+, or use LIKE or CONTAINS.
            """)
    }

    /// The result of a search; used by its thread only.
    private final class Search {
        var hasMatch = false
        var hasFailed = false
        /// The reason why the request must end.
        var end: DataStoreError?
        var reports = 0
    }

    private static func read(_ text: String, _ ignoresMarks: Bool) -> String {
        ignoresMarks ? text.folded(.diacriticInsensitive) : text.composed
    }

    private static func excerpt(of pattern: String) -> String {
        (pattern.count > 60 ? String(pattern.prefix(60)) + "…" : pattern).printable
    }
}
