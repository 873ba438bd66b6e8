import Foundation
import JustPersist
import Testing

/// Clause 7: blocks inside blocks, on one thread.
@Suite struct NestingTests {
    @Test(arguments: Backend.allCases)
    func readInReadSeesAFreshSnapshot(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.fill(["a"])
            try store.read { outer in
                try onThreads(1) { _ in try store.fill(["b"]) }
                try store.read { inner in
                    try #expect(inner.items(Restaurant.self).map(\.name) == ["a", "b"])
                    try #expect(store.read { try $0.count(Restaurant.self) } == 2)
                }
                try #expect(outer.items(Restaurant.self).map(\.name) == ["a"])
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func readInWriteSeesTheCommittedState(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.fill(["a"])
            try store.write { db in
                let item = try #require(try db.first(Restaurant.self))
                item.name = "changed"
                try db.create(Restaurant.self).name = "b"
                try #expect(db.count(Restaurant.self) == 2)
                try #expect(store.names() == ["a"])
                try db.deleteAll(Restaurant.self)
                try #expect(store.names() == ["a"])
                try #expect(db.count(Restaurant.self) == 0)
            }
            try #expect(store.names() == [])
        }
    }

    @Test(arguments: Backend.allCases)
    func writeInReadCommitsAndLeavesTheOuterSnapshot(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.fill(["a"])
            try store.read { db in
                let old = try #require(try db.first(Restaurant.self))
                try store.write { writer in
                    let live: Restaurant = try writer.mutableVersion(ofItem: old)
                    live.name = "changed"
                    try writer.create(Restaurant.self).name = "b"
                }
                try #expect(db.items(Restaurant.self).map(\.name) == ["a"])
                try #expect(db.count(Restaurant.self) == 1)
                #expect(old.name == "a")
            }
            try #expect(store.names() == ["changed", "b"])
        }
    }

    @Test(arguments: Backend.allCases)
    func writeInWriteIsRefusedAndHarmless(_ backend: Backend) throws {
        let errors = ErrorLog()
        try backend.withStore(errors: errors) { store in
            try store.write { db in
                let item = try db.create(Restaurant.self)
                item.name = "a"
                expectError(.nestedWrite) { _ = try store.write { _ in ran() } }
                store.writeSync { _ in _ = ran() }
                #expect(errors.codes == [.nestedWrite])
                store.read { _ in
                    _ = expectError(.nestedWrite) { _ = try store.write { _ in ran() } }
                }
                try #expect(db.count(Restaurant.self) == 1)
                item.stars = 3
            }
            try #expect(store.names(where: DataStorePredicate("stars == 3")) == ["a"])
        }
    }

    @Test(arguments: Backend.allCases)
    func writeInAQueuedBlockIsRefused(_ backend: Backend) throws {
        try backend.withStore { store in
            let done = DispatchSemaphore(value: 0)
            store.writeAsync { db in
                expectError(.nestedWrite) { _ = try store.write { _ in ran() } }
                try db.create(Restaurant.self).name = "a"
            } completion: { (result: Result<Void, any Error>) in
                #expect(throws: Never.self) { try result.get() }
                done.signal()
            }
            done.wait()
            try #expect(store.names() == ["a"])
        }
    }

    @Test(arguments: Backend.allCases)
    func anotherStoreMayBeWrittenInsideABlock(_ backend: Backend) throws {
        try backend.withStore { store in
            try backend.withStore { other in
                try store.write { db in
                    try db.create(Restaurant.self).name = "outer"
                    try other.fill(["inner"])
                    try #expect(other.names() == ["inner"])
                }
            }
            try #expect(store.names() == ["outer"])
        }
    }

    private func ran() -> Int {
        Issue.record("A block ran")
        return 0
    }
}
