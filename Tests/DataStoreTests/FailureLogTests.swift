import JustPersist
import JustPersistMemory
import Logging
import Testing

/// Clause 14: what a store without an error handler does with failures.
@Suite struct FailureLogTests {
    /// What was logged.
    private static let entries = Locked<[String]>([])

    private struct Handler: LogHandler {
        let label: String
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let code = metadata["code"].map { "\($0)" } ?? "-"
            FailureLogTests.entries.withLock { $0.append("\(event.level) \(label) \(code)") }
        }
    }

    /// In a process of its own, for logging is set up once.
    @Test func withoutAHandlerFailuresAreLogged() async {
        await #expect(processExitsWith: .success) {
            LoggingSystem.bootstrap { Handler(label: $0) }
            let store = InMemoryDataStore()
            store.writeSync { _ in }
            try store.open()
            store.writeSync { db in
                let item = db.createItem(ofMutableType: Restaurant.self)
                item?.setValue(1, forKeyPath: "nome")
                db.delete(item: Restaurant())
            }
            Restaurant().setValue(1, forKeyPath: "nome")
            // Of this the caller hears.
            #expect(throws: DataStoreError.self) {
                try store.write { db in try db.delete(Restaurant()) }
            }
            let expected = ["notSetUp", "unknownAttribute", "foreignItem", "unknownAttribute"]
            #expect(
                FailureLogTests.entries.withLock { $0 }
                    == expected.map { "error JustPersist \($0)" })
            // A handler takes its place.
            let handled = InMemoryDataStore { _ in }
            handled.writeSync { _ in }
            #expect(FailureLogTests.entries.withLock { $0.count } == expected.count)
        }
    }
}
