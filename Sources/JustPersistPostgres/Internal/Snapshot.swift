import JustPersist
import JustPersistRecords

/// The snapshot of a transaction on the server.
final class Snapshot: RemoteSnapshot {
    let firstEntry: any KeyValuePage
    let expected: (keys: [[UInt8]], found: any KeyValuePage)?
    /// The short keys that the block looked up, as far as they were not expected.
    private(set) var shortKeys: [[UInt8]] = []
    /// `nil` once the block has ended.
    private var connection: Connection?

    init(on connection: Connection, _ start: Start) {
        self.connection = connection
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
        shortKeys += keys.filter(ExpectedKeys.isShort)
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
        let statement: Statement =
            switch (request.isForKeys, request.isReversed) {
            case (true, true): .keysReversed
            case (true, false): .keys
            case (false, true): .pageReversed
            case (false, false): .page
            }
        try connection.send(
            statement, request.range.lower, Parameter.end(of: request.range),
            Parameter.number(request.limit))
        return Pending(answer: try connection.end(), request: request)
    }

    private func openConnection() throws(DataStoreError) -> Connection {
        guard let connection else {
            throw DataStoreError(
                .blockEnded, in: "read", "A PostgreSQL reader was used after its block had ended.")
        }
        return connection
    }

    private static let noAnswer = DataStoreError(
        .storageFailure, in: "read", "The server sent no answer.")

    private final class Pending: PendingPage {
        private let answer: Connection.Answer
        private let request: PageRequest

        init(answer: Connection.Answer, request: PageRequest) {
            self.answer = answer
            self.request = request
        }

        func receive() throws(DataStoreError) -> any KeyValuePage {
            guard let page = try answer.receive().first else { throw Snapshot.noAnswer }
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
