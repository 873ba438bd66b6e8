import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistMacros
import JustPersistMemory
import Logging
import Testing

/// Relationships that the types of properties declare, in stores on disk and in what stores report.
@Suite(.timeLimit(.minutes(5))) struct PlainRelationshipStoreTests {
    @Item final class Poet {
        var name: String = ""
        var poems: [Poem] = []
        @Relationship(inverse: \Poem.editor) var edited: [Poem] = []
    }

    @Item final class Poem {
        var title: String = ""
        var poet: Poet?
        var editor: Poet?
        var lines: [Line] = []

        struct Line: Codable { var text = "" }
    }

    /// The next release.
    enum Later {
        @Item("PlainRelationshipStoreTests.Poem") final class Poem {
            var title: String = ""
            @Attribute(originalName: "poet") var author: Poet?
            @Attribute(originalName: "editor") var corrector: Poet?
        }

        @Item("PlainRelationshipStoreTests.Poet") final class Poet {
            var name: String = ""
            @Attribute(originalName: "poems") var works: [Poem] = []
            @Relationship(originalName: "edited", inverse: \Poem.corrector)
            var corrected: [Poem] = []
        }
    }

    private func fill(_ store: any DataStore) throws {
        try store.write { db in
            let (poet, editor) = (try db.create(Poet.self), try db.create(Poet.self))
            (poet.name, editor.name) = ("Ann", "Bob")
            for title in ["one", "two"] {
                let poem = try db.create(Poem.self)
                (poem.title, poem.poet, poem.editor) = (title, poet, editor)
                poem.lines = [Poem.Line(text: title)]
                poet.poems.append(poem)
            }
        }
    }

    @Test func theyAreThereAfterOpeningAgain() throws {
        try withTemporaryDirectory { directory in
            var store = try LMDBDataStore.open(at: directory)
            try fill(store)
            try store.close()
            store = try LMDBDataStore.open(at: directory)
            try store.write { db in
                let ann = try #require(try db.first(Poet.self, where: \.name == "Ann"))
                #expect(ann.poems.map(\.title) == ["one", "two"])
                #expect(ann.poems.map { $0.lines.map(\.text) } == [["one"], ["two"]])
                #expect(ann.poems.allSatisfy { $0.poet === ann && $0.editor?.name == "Bob" })
                #expect(ann.poems[0].editor?.edited.count == 2)
                try db.delete(ann.poems[0])
                #expect(ann.poems.map(\.title) == ["two"])
            }
            try store.close()
        }
    }

    @Test func theyAreFoundUnderFormerNames() throws {
        try withTemporaryDirectory { directory in
            var store = try LMDBDataStore.open(at: directory)
            try fill(store)
            try store.close()
            store = try LMDBDataStore.open(at: directory)
            try store.write { db in
                let ann = try #require(try db.first(Later.Poet.self, where: \.name == "Ann"))
                #expect(ann.works.map(\.title) == ["one", "two"])
                #expect(ann.works.map { $0.corrector?.name } == ["Bob", "Bob"])
                #expect(ann.works[0].author === ann)
                #expect(ann.works[0].corrector?.corrected.count == 2)
            }
            try store.close()
        }
    }

    /// Makes Bob the poet of all poems, and returns the state before.
    private func relate(_ store: any DataStore) throws -> ChangeToken {
        let token = try store.read { db in try db.changeToken }
        try store.write { db in
            let bob = try #require(try db.first(Poet.self, where: \.name == "Bob"))
            bob.poems = try db.items(Poem.self)
            try #require(bob.poems.first).poet = bob
        }
        return token
    }

    @Test func streamsNameThem() async throws {
        let options = DataStoreOptions(changeLog: ChangeLogLength(commits: 100))
        try await Backend.allCases[0].withStore(options: options) { store in
            try fill(store)
            let token = try relate(store)
            var stream = store.changes(of: Poet.self, since: token).makeAsyncIterator()
            let poets = try #require(await stream.next())
            #expect(poets.updated.map(\.attributes) == [["poems"]])
            var others = store.changes(of: Poem.self, since: token).makeAsyncIterator()
            let poems = try #require(await others.next())
            #expect(poems.updated.map(\.attributes).contains(["poet"]))
        }
    }

    /// What was logged.
    private static let entries = Locked<[String]>([])

    private struct Handler: LogHandler {
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            PlainRelationshipStoreTests.entries.withLock {
                $0.append("\(event.level) \(event.message)")
            }
        }
    }

    /// In a process of its own, for logging is set up once.
    @Test func likelyInversesAreLogged() async {
        await #expect(processExitsWith: .success) {
            LoggingSystem.bootstrap { _ in Handler() }
            for _ in 0..<2 {
                let store = InMemoryDataStore()
                try store.open()
                try PlainRelationshipStoreTests().fill(store)
            }
            let entries = PlainRelationshipStoreTests.entries.withLock { $0 }
            try #require(entries.count == 1)
            #expect(entries[0].hasPrefix("notice "))
            #expect(entries[0].contains("“poems” of “PlainRelationshipStoreTests.Poet”"))
            #expect(entries[0].contains("“poet” of “PlainRelationshipStoreTests.Poem”"))
            #expect(entries[0].contains("@Relationship(inverse: "))
        }
    }
}
