import Foundation
import JustPersist
import Logging
import Testing

/// What a store's log writes, and at which level.
@Suite struct StoreLogTests {
    @Test func nothingIsWrittenOrMeasuredAboveTheLevel() {
        let lines = Lines()
        let log = lines.log(.info)
        #expect(log.start(.debug) == nil && log.startOfQuery() == nil)
        log.opened("/a", types: 1, since: nil)
        log.closed("/a", since: nil)
        log.rolledBack(CancellationError(), since: nil)
        log.committed(1, since: nil, fail())
        log.queried(request, found: 1, since: nil, plan: fail())
        #expect(lines.all.isEmpty)
    }

    @Test func lifeIsLoggedAtDebug() {
        let lines = Lines()
        let log = lines.log(.debug)
        log.opened("/a", types: 3, since: log.start(.debug))
        log.recovered("/a", DataStoreError(.recovered, in: "open", "Two pages were lost."))
        log.rolledBack(DataStoreError(.uniqueViolation, in: "write", "Twice."), since: nil)
        log.closed("/a", since: log.start(.debug))
        log.committed(1, since: log.start(.trace), fail())
        #expect(lines.all.map(\.level) == [.debug, .debug, .debug, .debug])
        #expect(lines.all.map { $0.metadata["event"] } == ["open", "recover", "rollback", "close"])
        #expect(lines.all[0].metadata["types"] == "3")
        #expect(lines.all[0].metadata["store"] == "/a")
        #expect(lines.all[0].metadata["milliseconds"] != nil)
        #expect(lines.all[1].metadata["code"] == "recovered")
        #expect(lines.all[2].metadata["code"] == "uniqueViolation")
        #expect(lines.all[2].metadata["milliseconds"] == nil)
    }

    @Test func commitsAreLoggedAtTrace() {
        let lines = Lines()
        let log = lines.log(.trace)
        log.committed(
            7, blocks: 2, since: log.start(.trace),
            StoreLog.Changes(inserted: 1, updated: 2, deleted: 3, bytes: 400))
        #expect(lines.all.map(\.level) == [.trace])
        let metadata = lines.all[0].metadata
        #expect(metadata["commit"] == "7" && metadata["blocks"] == "2")
        #expect(
            ["inserted", "updated", "deleted", "bytes"].map { metadata[$0] }
                == ["1", "2", "3", "400"])
    }

    @Test func slowQueriesAreLoggedAtDebugWithTheirPlans() {
        let lines = Lines()
        var log = lines.log(.debug)
        log.slowQueries = .seconds(3600)
        log.queried(request, found: 2, since: log.startOfQuery(), plan: fail())
        #expect(lines.all.isEmpty)
        log.slowQueries = .zero
        log.queried(
            request, found: 2, since: log.startOfQuery(),
            plan: QueryPlan(access: .scan, recordsExamined: 9, matched: 2))
        let line = lines.all[0]
        #expect(line.level == .debug && line.message.hasPrefix("slow query of “Restaurant”: "))
        #expect(line.metadata["predicate"] == "stars > 3")
        #expect(line.metadata["sort"] == "[\"name down\"]")
        #expect(line.metadata["limit"] == "5" && line.metadata["offset"] == nil)
        #expect(line.metadata["found"] == "2")
        #expect(line.metadata["plan"]?.contains("9 records examined") == true)
        log.slowQueries = nil
        #expect(log.startOfQuery() == nil)
    }

    @Test func otherQueriesAreLoggedAtTrace() {
        let lines = Lines()
        var log = lines.log(.trace)
        log.slowQueries = nil
        log.queried(request, found: 0, since: log.startOfQuery())
        #expect(lines.all.map(\.level) == [.trace])
        #expect(lines.all[0].message.hasPrefix("query of “Restaurant”: "))
    }

    private var request: DataStoreRequest {
        let request = DataStoreRequest(itemTypeKey: "Restaurant")
        request.predicate = try? DataStorePredicate("stars > 3")
        request.sortDescriptors = [.descending("name")]
        request.limit = 5
        return request
    }

    private func fail<Value>() -> Value? {
        Issue.record("This costs time, and is not logged.")
        return nil
    }

    private func fail() -> StoreLog.Changes {
        Issue.record("This costs time, and is not logged.")
        return StoreLog.Changes()
    }
}

/// The lines of a log.
private final class Lines: Sendable {
    struct Line {
        let level: Logger.Level
        let message: String
        let metadata: [String: String]
    }

    private let lines = Locked<[Line]>([])

    var all: [Line] { lines.withLock { $0 } }

    func log(_ level: Logger.Level) -> StoreLog {
        var logger = Logger(label: "test") { _ in Handler(lines: self) }
        logger.logLevel = level
        return StoreLog(logger)
    }

    private func add(_ line: Line) { lines.withLock { $0.append(line) } }

    private struct Handler: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.MetadataValue? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.add(
                Line(
                    level: event.level, message: "\(event.message)",
                    metadata: (event.metadata ?? [:]).mapValues { "\($0)" }))
        }
    }
}
