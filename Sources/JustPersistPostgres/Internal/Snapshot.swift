import JustPersist
import JustPersistRecords

/// The snapshot of a transaction on the server.
final class Snapshot: RemoteSnapshot {
    let firstEntry: any KeyValuePage
    let expected: (keys: [[UInt8]], found: any KeyValuePage)?
    /// Whether a page had values that are too long for the quick statement.
    private var hasLargeValues = false
    private let isForWriting: Bool
    /// The short keys that a write block looked up, except those that were expected.
    private(set) var shortKeys: [[UInt8]] = []
    /// `nil` once the block has ended.
    private var connection: Connection?

    init(on connection: Connection, _ start: Start, isForWriting: Bool) {
        self.connection = connection
        self.isForWriting = isForWriting
        firstEntry = start.first
        expected = start.expected
    }

    /// The entries that the server sends when a transaction begins.
    struct Start {
        let first: Page
        let expected: (keys: [[UInt8]], found: any KeyValuePage)?
    }

    func end() { connection = nil }

    func entries(
        of keys: [[UInt8]], inRanges ranges: [KeyRange], most: Int
    ) throws(DataStoreError) -> (found: any KeyValuePage, inRanges: any KeyValuePage) {
        let connection = try openConnection()
        if isForWriting { shortKeys += keys.filter(ExpectedKeys.isShort) }
        if !keys.isEmpty { try connection.send(.found, Parameter.List(keys).bytes) }
        if !ranges.isEmpty {
            try connection.send(
                .inRanges, Parameter.List(ranges.map(\.lower)).bytes,
                Parameter.List(ranges.map(Parameter.end)).bytes, Parameter.number(most))
        }
        let pages = try connection.end().receive()
        guard let first = pages.first, let last = pages.last else { throw Self.noAnswer }
        return (keys.isEmpty ? EmptyPage.shared : first, ranges.isEmpty ? EmptyPage.shared : last)
    }

    func request(_ request: PageRequest) throws(DataStoreError) -> any PendingPage {
        let connection = try openConnection()
        let start = request.range.lower
        let end = Parameter.end(of: request.range)
        let limit = Parameter.number(request.limit)
        let isQuick = !request.isForKeys && !hasLargeValues
        if isQuick {
            let longest = Statement.answerBytes / max(1, request.limit)
            try connection.send(
                request.isReversed ? .pageReversed : .page, start, end, limit,
                Parameter.number(longest))
        } else {
            let statement: Statement =
                switch (request.isForKeys, request.isReversed) {
                case (true, true): .keysReversed
                case (true, false): .keys
                case (false, true): .boundedPageReversed
                case (false, false): .boundedPage
                }
            try connection.send(statement, start, end, limit)
        }
        return Pending(answer: try connection.end(), request: request, isQuick: isQuick, of: self)
    }

    private func openConnection() throws(DataStoreError) -> Connection {
        guard let connection else {
            throw DataStoreError(
                .blockEnded, in: "read", "A PostgreSQL reader was used after its block had ended.")
        }
        return connection
    }

    /// Completes a page of values that was asked for without the long ones.
    fileprivate func complete(
        _ page: Page, of request: PageRequest
    ) throws(DataStoreError) -> any KeyValuePage {
        let isWhole = page.count < request.limit
        page.isLast = isWhole
        if page.dropFromFirstWithoutValue() {
            hasLargeValues = true
            page.isLast = false
            if page.count == 0 { return try self.request(request).receive() }
        } else if !isWhole, page.valueBytes > page.count * Self.largeMean {
            // The next page is larger, so that the limit of its values is smaller.
            hasLargeValues = true
        }
        return page
    }

    /// The mean number of bytes from which on values are large.
    private static let largeMean = 512

    private static let noAnswer = DataStoreError(
        .storageFailure, in: "read", "The server sent no answer.")

    private final class Pending: PendingPage {
        private let answer: Connection.Answer
        private let request: PageRequest
        private let isQuick: Bool
        private let snapshot: Snapshot

        init(
            answer: Connection.Answer, request: PageRequest, isQuick: Bool, of snapshot: Snapshot
        ) {
            self.answer = answer
            self.request = request
            self.isQuick = isQuick
            self.snapshot = snapshot
        }

        func receive() throws(DataStoreError) -> any KeyValuePage {
            guard let page = try answer.receive().first else { throw Snapshot.noAnswer }
            if isQuick { return try snapshot.complete(page, of: request) }
            // The server cuts an answer off after so many bytes of values.
            page.isLast =
                page.count < request.limit
                && (request.isForKeys || page.valueBytes < Statement.answerBytes)
            return page
        }
    }

    private final class EmptyPage: KeyValuePage, Sendable {
        static let shared = EmptyPage()

        var count: Int { 0 }
        var byteCount: Int { 0 }
        var isLast: Bool { true }

        func withEntry(
            at place: Int,
            _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>?) throws(DataStoreError) -> Void
        ) throws(DataStoreError) {}
    }
}
