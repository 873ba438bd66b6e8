import Testing

/// Properties of which only the compiler knows whether they are relationships.
@Suite struct PlainRelationshipTests {
    /// The code as it is printed, without indentation.
    private func lines(_ source: String) -> [String] {
        let expansion = Expansion(source)
        #expect(expansion.messages == [])
        return expansion.text.split(separator: "\n").map { String($0.drop { $0 == " " }) }
    }

    @Test func overloadsChooseTheFormOfAProperty() {
        let lines = lines(
            """
            @Item final class Band {
                var leader: Musician?
                @Attribute(originalName: "feelings") var moods: [Mood] = []
                var name: String = ""
                var fans: Array<People.Fan> = []
                var `in`: People.Fan?
            }
            """)
        let moods = "JustPersist.AttributeSchema.places(of: [Mood].self)"
        let fans = "JustPersist.AttributeSchema.places(of: Array<People.Fan>.self)"
        for line in [
            "optionalAttribute(at: 0)", "setOptionalAttribute(newValue, at: 0)",
            #"attribute(at: 1, named: "moods", default: [])"#,
            #"setAttribute(newValue, at: 1, named: "moods")"#,
            // An array of items takes no place among the attributes.
            #"attribute(at: 1 + \#(moods), default: "")"#,
            #"attribute(at: 2 + \#(moods), named: "fans", default: [])"#,
            "optionalAttribute(at: 2 + \(moods) + \(fans))",
            "setOptionalAttribute(newValue, at: 2 + \(moods) + \(fans))",
            #"JustPersist.AttributeSchema("leader", kinds: JustPersist.AttributeSchema.kinds(of: Musician.self), keyPath: \Band.leader),"#,
            #"JustPersist.AttributeSchema("moods", kinds: JustPersist.AttributeSchema.kinds(of: [Mood].self), default: JustPersist.AttributeSchema.defaultValue(of: [Mood].self, []), originalName: "feelings", keyPath: \Band.moods, mayBeToMany: true),"#,
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        // A relationship to many begins without a look-up.
        #expect(lines.contains { $0.hasPrefix("if \(moods) > 0 {") })
        #expect(lines.contains { $0.hasPrefix("if \(fans) > 0 {") })
        #expect(!lines.contains { $0.contains("RelationshipSchema") })
    }

    @Test func theCompilerInfersTheTypesOfValues() {
        let lines = lines(
            """
            @Item public final class Band {
                public var leader: Musician?
                var moods: [Mood] = []
                var `in`: Fan?
            }
            """)
        for line in [
            "public enum Type_leader: JustPersist.ItemValueMember {",
            "public static let type = JustPersist.ItemValueStorage.type(of: (Musician?).self)",
            "private var _leader = JustPersist.ItemValueStorage.of((Type_leader.Value).self, nil)",
            "public var leader: Type_leader.Value {",
            "enum Type_moods: JustPersist.ItemValueMember {",
            "static let type = JustPersist.ItemValueStorage.type(of: ([Mood]).self)",
            "private var _moods = JustPersist.ItemValueStorage.of((Type_moods.Value).self, [])",
            "enum `Type_in`: JustPersist.ItemValueMember {", "var `in`: `Type_in`.Value {",
            "public init(id: JustPersist.ItemID = JustPersist.ItemID(), leader: Type_leader.Value = nil) {",
            "@_disfavoredOverload init(id: JustPersist.ItemID = JustPersist.ItemID(), leader: Type_leader.Value = nil, moods: Type_moods.Value = [], `in`: `Type_in`.Value = nil) {",
            #"self._leader = .init(JustPersist.ItemValueStorage.value(of: (Musician?).self, in: item, "leader", item.leader))"#,
            #"self._leader = .init(try values.optionalAttribute("leader"))"#,
            #"self._moods = .init(try values.attribute("moods", default: []))"#,
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        #expect(
            lines.contains {
                $0.hasPrefix(
                    #"JustPersist.ItemValueStorage.assign(self.leader, of: (Musician?).self, to: item, "leader") {"#
                )
            })
    }

    @Test(arguments: [
        "var a: String?", "var a: [Int] = []", "var a: Kind = .one", "var a: Kind? = .one",
        "var a: [Kind]?", "var a: [Kind]? = []", "var a: [Kind] = [.one]", "var a: Box<Int>?",
        "var a: [Box<Int>] = []",
        "var a: [String: Kind] = [:]", "var a: [[Kind]] = []", "var a: [Kind?] = []",
        "var a: [ItemID] = []", "var a: Foundation.Date?", "@Transient var a: B?",
    ])
    func otherPropertiesAreAttributes(property: String) {
        let text = Expansion("@Item final class A { \(property); var last = 1 }").text
        for part in ["ItemValueMember", "places(of:", "named:", "mayBeToMany"] {
            #expect(!text.contains(part))
        }
    }
}
