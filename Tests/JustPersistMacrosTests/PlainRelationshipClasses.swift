import JustPersistMacros

@Item final class Band {
    var name: String = ""
    var leader: Musician?
    @Attribute(originalName: "tourKind") var kind: Kind?
    var moods: [Mood] = []
    @Relationship(inverse: \Record.band) var records: [Record] = []
    var fans: [Musician] = []
    var founded: Int = 1990
    var rival: Band?

    enum Kind: String, Codable { case jazz, rock }
    struct Mood: Codable, Equatable { var text = "" }
}

@Item final class Record {
    var title: String = ""
    var band: Band?
    @Relationship(.ordered) var players: [Musician] = []
}
