import JustPersist
import JustPersistMacros
import Testing

@Item final class Writer {
    var name: String = ""
    @Relationship(deleteRule: .cascade, inverse: \Novel.writer) var novels: ToMany<Novel>
    @Relationship(inverse: "friends") var friends: [Writer] = []
}

@Item final class Novel {
    var title: String = ""
    @Relationship(minimumModelCount: 1) var writer: Writer?
    @Relationship(.ordered, inverse: \Genre.novels) var genres: ToMany<Genre>
    @Relationship var sequel: Novel?
}

@Item final class Genre {
    var name: String?
    var novels: ToMany<Novel>
}

/// Relationships that `@Item` declares from properties.
@Suite struct RelationshipClassTests {
    @Test func schemasHaveWhatThePropertiesSay() {
        let novels = Writer.schema.relationships[0]
        #expect(novels.name == "novels")
        #expect(novels.destination == "Novel")
        #expect(novels.isToMany)
        #expect(novels.deleteRule == .cascade)
        #expect(novels.inverse == "writer")
        let writer = Novel.schema.relationships[0]
        #expect(!writer.isToMany)
        #expect(writer.minimum == 1)
        #expect(Novel.schema.relationships[1].isOrdered)
        #expect(Novel.schema.relationships[2].inverse == nil)
        #expect(Genre.schema.relationships == [RelationshipSchema("novels", to: "Novel", isToMany: true)])
        #expect(Novel.schema.attributes.map(\.name) == ["title", "writer", "sequel"])
        #expect(Writer.schema.attributes.map(\.name) == ["name"])
    }
}
