import InMemoryTracing
import JustPersistMemory
import JustPersistTelemetry
import Logging
import MetricsTestKit
import Testing
import Tracing

@Suite struct TelemetryTests {
    private struct Refusal: Error {}

    private func store(_ observers: [any StoreObserver]) throws -> InMemoryDataStore {
        let store = InMemoryDataStore()
        store.log = StoreLog(Logger(label: "telemetry"), observers: observers)
        try store.open()
        return store
    }

    private func fill(_ store: InMemoryDataStore, orders count: Int) throws {
        try store.writeSync { db in
            try db.declare(
                ItemSchema(
                    "Order", attributes: [AttributeSchema("number", kinds: [.int], isIndexed: true)]
                ))
            for number in 0..<count { try db.create("Order")["number"] = .int(Int64(number)) }
        }
    }

    @Test func whatAStoreDoesIsCounted() throws {
        let metrics = TestMetrics()
        let store = try store([StoreMetrics(store: "orders", factory: metrics)])
        try fill(store, orders: 3)
        try store.writeSync { db in
            for order in try db.dynamicItems(DataStoreRequest(itemTypeKey: "Order")).prefix(2) {
                order["number"] = .int(7)
            }
        }
        #expect(throws: Refusal.self) { try store.writeSync { _ in throw Refusal() } }
        #expect(throws: DataStoreError.self) {
            try store.writeSync { db in try db.create("Order")["nothing"] = .int(1) }
        }
        let request = DataStoreRequest(itemTypeKey: "Order")
        request.predicate = try DataStorePredicate("number == 7")
        #expect(try store.readSync { db in try db.dynamicItems(request).count } == 2)

        func total(_ label: String, _ dimensions: [(String, String)] = []) throws -> Int64 {
            try metrics.expectCounter(label, [("store", "orders")] + dimensions).values.reduce(0, +)
        }
        #expect(try total("justpersist.items.written", [("change", "inserted")]) == 3)
        #expect(try total("justpersist.items.written", [("change", "updated")]) == 2)
        #expect(try total("justpersist.items.written", [("change", "deleted")]) == 0)
        #expect(try total("justpersist.bytes.written") > 0)
        #expect(try total("justpersist.rollbacks", [("code", "none")]) == 1)
        #expect(try total("justpersist.rollbacks", [("code", "unknownAttribute")]) == 1)
        let commits = try metrics.expectTimer("justpersist.commit.duration", [("store", "orders")])
        #expect(commits.values.count == 2 && commits.values.allSatisfy { $0 > 0 })
        let query = [("store", "orders"), ("type", "Order")]
        // The items that were changed, and those that were found.
        #expect(try total("justpersist.items.found", [("type", "Order")]) == 5)
        #expect(try metrics.expectTimer("justpersist.query.duration", query).values.count == 2)
    }

    /// The tracer of the process, which can be set once.
    private static let tracer = {
        let tracer = InMemoryTracer()
        InstrumentationSystem.bootstrap(tracer)
        return tracer
    }()

    private func spans(_ trace: String) -> [FinishedInMemorySpan] {
        Self.tracer.finishedSpans.filter { $0.traceID == trace }
    }

    @Test func queriesAreInTheSpanOfTheirBlock() async throws {
        _ = Self.tracer
        let store = try store([StoreSpans()])
        try fill(store, orders: 4)
        let trace = try await withSpan("request") { span in
            let count = try await store.read(span: "read orders") { db in
                try db.dynamicItems(DataStoreRequest(itemTypeKey: "Order")).count
            }
            #expect(count == 4)
            try await store.write(span: "delete orders") { db in
                for order in try db.dynamicItems(DataStoreRequest(itemTypeKey: "Order")) {
                    try db.delete(order)
                }
            }
            return (span as? InMemorySpan)?.traceID ?? ""
        }
        let spans = spans(trace)
        let request = try #require(spans.first { $0.operationName == "request" })
        for (name, operation) in [("read orders", "read"), ("delete orders", "write")] {
            let block = try #require(spans.first { $0.operationName == name })
            #expect(block.parentSpanID == request.spanID)
            #expect(block.attributes.get("db.operation.name") == .string(operation))
            let query = try #require(spans.first { $0.parentSpanID == block.spanID })
            #expect(query.operationName == "justpersist.query")
            #expect(query.attributes.get("db.collection.name") == .string("Order"))
            #expect(query.attributes.get("db.response.returned_rows") == .int64(4))
            let start = query.startInstant.nanosecondsSinceEpoch
            #expect(start < query.endInstant.nanosecondsSinceEpoch)
        }
    }

    @Test func aBlockThatFailsIsAnErrorOfItsSpan() async throws {
        _ = Self.tracer
        let store = try store([StoreSpans()])
        try fill(store, orders: 1)
        let trace = await withSpan("failing") { span in
            await #expect(throws: Refusal.self) {
                try await store.write(span: "refused") { _ in throw Refusal() }
            }
            return (span as? InMemorySpan)?.traceID ?? ""
        }
        let refused = try #require(spans(trace).first { $0.operationName == "refused" })
        #expect(refused.errors.count == 1)
    }

    @Test func withoutASpanAQueryHasNone() throws {
        _ = Self.tracer
        let store = try store([StoreSpans()])
        try store.writeSync { db in try db.declare(ItemSchema("Lonely", attributes: [])) }
        _ = try store.readSync { db in
            try db.dynamicItems(DataStoreRequest(itemTypeKey: "Lonely")).count
        }
        let names = Self.tracer.finishedSpans.compactMap { $0.attributes.get("db.collection.name") }
        #expect(!names.contains(.string("Lonely")))
    }
}
