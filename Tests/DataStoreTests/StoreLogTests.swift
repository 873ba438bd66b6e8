import JustPersist
import JustPersistRecords
import Logging
import Testing

/// What stores write to a log about their work.
@Suite struct StoreLogTests {
    /// Keeps the lines that a logger writes.
    private struct Recorder: LogHandler {
        let lines: SharedList<[String: String]>
        var logLevel: Logger.Level
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            var line = event.metadata?.mapValues { "\($0)" } ?? [:]
            line["level"] = "\(event.level)"
            lines.append(line)
        }
    }

    private func log(
        _ level: Logger.Level, slowQueries: Duration?
    ) -> (StoreLog, SharedList<[String: String]>) {
        let lines = SharedList<[String: String]>()
        let logger = Logger(label: "test") { _ in Recorder(lines: lines, logLevel: level) }
        return (StoreLog(logger, slowQueries: slowQueries), lines)
    }

    private func withStore(
        _ backend: Backend, _ log: StoreLog, _ body: (any DataStore) throws -> Void
    ) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try #require(set(log, of: store))
            try store.open()
            try body(store)
            try store.close()
        }
    }

    private func set(_ log: StoreLog, of store: any DataStore) -> Bool {
        guard let store = store as? any LoggedStore else { return false }
        store.log = log
        return true
    }

    private struct Rollback: Error {}

    @Test(arguments: Backend.ofRecords)
    func eachCommitAndQueryIsTraced(_ backend: Backend) throws {
        let (log, lines) = log(.trace, slowQueries: nil)
        try withStore(backend, log) { store in
            try store.fill(["a", "b", "c"])
            try store.write { db in
                for restaurant in try db.items(Restaurant.self, where: \.name != "c") {
                    restaurant.stars = 9
                }
                for restaurant in try db.items(Restaurant.self, where: \.name == "c") {
                    try db.delete(restaurant)
                }
            }
            _ = try store.read { db in try db.count(Restaurant.self) }
            try store.write { _ in }
            do { try store.write { _ in throw Rollback() } } catch is Rollback {}
        }
        let events = lines.all.map { $0["event"] ?? "" }
        #expect(events.first == "open" && events.last == "close")
        #expect(events.count { $0 == "rollback" } == 1)
        let commits = lines.all.filter { $0["event"] == "commit" }
        #expect(commits.map { $0["inserted"] } == ["3", "0"])
        #expect(commits.map { $0["updated"] } == ["0", "2"])
        #expect(commits.map { $0["deleted"] } == ["0", "1"])
        #expect(commits.allSatisfy { $0["commit"] != nil && $0["milliseconds"] != nil })
        let queries = lines.all.filter { $0["event"] == "query" }
        #expect(queries.last?["found"] == "2")
        #expect(queries.allSatisfy { $0["type"] == "Restaurant" && $0["plan"] == nil })
    }

    @Test(arguments: Backend.ofRecords)
    func aSlowQueryIsLoggedWithItsPlan(_ backend: Backend) throws {
        let (log, lines) = log(.debug, slowQueries: .zero)
        try withStore(backend, log) { store in
            try store.fill(["a", "b", "c"])
            _ = try store.names(where: DataStorePredicate("stars > 0"))
        }
        let queries = lines.all.filter { $0["event"] == "query" }
        #expect(queries.count == 1)
        #expect(queries.first?["plan"]?.contains("3 records") == true)
        #expect(queries.first?["predicate"]?.contains("stars") == true)
        #expect(!lines.all.contains { $0["event"] == "commit" })
    }

    @Test(arguments: Backend.ofRecords) func nothingIsLoggedAbove(_ backend: Backend) throws {
        let (log, lines) = log(.info, slowQueries: .zero)
        try withStore(backend, log) { store in
            try store.fill(["a"])
            _ = try store.names()
        }
        #expect(lines.all.isEmpty)
    }
}

/// A store whose log can be set, whatever its engine is.
private protocol LoggedStore: DataStore {
    var log: StoreLog? { get set }
}

extension RecordStore: LoggedStore {}
