import JustPersist
import JustPersistMemory
import Testing

@testable import JustPersistConformance

/// The runner of scripts, on a store that makes writers wait and on one that does not.
@Suite struct InterleavingTests {
    private let t1 = Session("T1")
    private let t2 = Session("T2")

    private var twoWriters: Interleaving {
        Interleaving("two writers", ["x": 10]) {
            t1.begin
            t2.begin
            t1.get("x")
            t2.get("x")
            t1.add(1, to: "x")
            t1.commit
            t2.add(1, to: "x")
            t2.commit
        }
    }

    @Test func waitingStepsAreCarriedOutLater() throws {
        let store = InMemoryDataStore()
        try store.open()
        let outcome = try twoWriters.run(on: store)
        #expect(outcome[t1].reads == [[10]])
        #expect(outcome[t2].reads == [[11]])
        #expect(outcome[t1].isCommitted && outcome[t2].isCommitted)
        #expect(outcome.final == ["x": 12])
        // The begin and the get of T2 waited for T1.
        #expect(!outcome.results[1].isPrompt && !outcome.results[3].isPrompt)
        #expect(outcome.description.contains("T2  begin   (waited)"), "\(outcome)")
        #expect(outcome.description.contains("T2  get x   (waited)   → [11]"), "\(outcome)")
    }

    @Test func refusedSessionsAreToldApart() throws {
        let outcome = try twoWriters.run(on: LooseStore(.snapshot))
        #expect(outcome[t1].isCommitted)
        #expect(!outcome[t2].isCommitted)
        #expect(outcome[t2].error?.contains("changed the item first") == true)
        #expect(outcome[t2].reads == [[10]])
        #expect(outcome.final == ["x": 11])
        #expect(outcome.description.contains("✗"), "\(outcome)")
    }

    @Test func rollingBackIsNoError() throws {
        let store = InMemoryDataStore()
        try store.open()
        let outcome = try Interleaving("one is rolled back", ["x": 10]) {
            t1.begin
            t1.insert("y", 1)
            t1.add(5, where: "number > 0")
            t1.count(where: "number > 5")
            t1.rollBack
            t2.beginReading
            t2.items(where: "number > 0")
            t2.commit
        }.run(on: store)
        #expect(outcome[t1].reads == [[2]])
        #expect(!outcome[t1].isCommitted && outcome[t1].hasEnded && outcome[t1].error == nil)
        #expect(outcome[t2].reads == [[10]])
    }

    @Test func stepsThatFailEndTheirSession() throws {
        let store = InMemoryDataStore()
        try store.open()
        let outcome = try Interleaving("a predicate that is none", ["x": 10]) {
            t1.begin
            t1.items(where: "number >")
            t1.get("x")
            t1.commit
        }.run(on: store)
        #expect(outcome[t1].hasEnded && !outcome[t1].isCommitted)
        #expect(outcome[t1].error?.contains("invalidPredicate") == true, "\(outcome)")
        #expect(outcome.results[2].error != nil)
        #expect(outcome.final == ["x": 10])
    }
}
