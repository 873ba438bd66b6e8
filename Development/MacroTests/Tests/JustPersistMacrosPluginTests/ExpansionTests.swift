import Testing

@Suite struct ExpansionTests {
    @Test func classBecomesAnItem() {
        let expansion = Expansion(
            #"""
            @Item final class Restaurant {
                #Index<Restaurant>([\.name, \.stars])
                #Unique<Restaurant>([\.name], [\.stars])
                #Index<Restaurant>([\.stars, \.name], [\.name], ignoringCase: true)
                @Attribute(.unique, .indexed, originalName: "title") var name: String?
                var stars: Int = 0
                @Transient var isSelected = false
            }
            """#)
        #expect(expansion.messages == [])
        #expect(
            expansion.text == #"""
                final class Restaurant {
                    var name: String? {
                        get {
                            optionalAttribute(at: 0)
                        }
                        set {
                            setOptionalAttribute(newValue, at: 0)
                        }
                    }
                    var stars: Int {
                        get {
                            attribute(at: 1, default: 0)
                        }
                        set {
                            setAttribute(newValue, at: 1)
                        }
                    }
                    var isSelected = false

                    static let schema = JustPersist.ItemSchema(
                        "Restaurant",
                        attributes: [
                            JustPersist.AttributeSchema("name", kinds: JustPersist.AttributeSchema.kinds(of: String.self), originalName: "title", isUnique: true, isIndexed: true, keyPath: \Restaurant.name),
                            JustPersist.AttributeSchema("stars", kinds: JustPersist.AttributeSchema.kinds(of: Int.self), default: JustPersist.AttributeSchema.defaultValue(of: Int.self, 0), keyPath: \Restaurant.stars),
                        ],
                        indexes: [
                            JustPersist.IndexSchema(["name", "stars"]),
                            JustPersist.IndexSchema(["name"], isUnique: true),
                            JustPersist.IndexSchema(["stars"], isUnique: true),
                            JustPersist.IndexSchema(["stars", "name"], ignoresCase: true),
                            JustPersist.IndexSchema(["name"], ignoresCase: true),
                        ])

                    let backing: any JustPersist.ItemBacking

                    init(backing: any JustPersist.ItemBacking) {
                        self.backing = backing
                    }

                    func setInitialValues() {
                        self.stars = 0
                    }

                    struct Values: JustPersist.ItemValues, Swift.Codable, Swift.Hashable {
                        var uniqueToken: JustPersist.ItemID
                        var name: String?
                        var stars: Int
                        init(id: JustPersist.ItemID = JustPersist.ItemID(), name: String? = nil, stars: Int = 0) {
                            self.uniqueToken = id
                            self.name = name
                            self.stars = stars
                        }
                        init(_ item: Restaurant) {
                            self.uniqueToken = item.uniqueToken
                            self.name = item.name
                            self.stars = item.stars
                        }
                        func assign(to item: Restaurant) {
                            item.name = self.name
                            item.stars = self.stars
                        }
                        init(from decoder: any Swift.Decoder) throws {
                            let values = try JustPersist.ItemValuesDecoder(decoder)
                            self.uniqueToken = try values.id("id")
                            self.name = try values.optionalAttribute("name")
                            self.stars = try values.attribute("stars", default: 0)
                        }
                        func encode(to encoder: any Swift.Encoder) throws {
                            var values = JustPersist.ItemValuesEncoder(encoder)
                            try values.id(self.uniqueToken, "id")
                            try values.optionalAttribute("name", self.name)
                            try values.attribute("stars", self.stars)
                        }
                    }
                }

                nonisolated extension Restaurant: DataStoreItem, MutableDataStoreItem, ItemWithValues {
                }
                """#)
    }

    @Test(arguments: ["public", "package"]) func membersAreAsAccessibleAsTheClass(access: String) {
        let text = Expansion("@Item \(access) final class A { var a = 1 }").text
        for member in ["static let schema", "let backing", "init(backing", "func setInitial"] {
            #expect(text.contains("\(access) \(member)"))
        }
    }

    @Test(arguments: ["", "private ", "fileprivate ", "internal "])
    func otherMembersHaveNoModifier(access: String) {
        let text = Expansion("@Item \(access)final class A {}").text
        for member in ["static let schema", "let backing", "init(backing"] {
            #expect(text.contains("\n    \(member)"))
        }
    }

    @Test func unknownCasesCanBeKept() {
        let text = Expansion(
            """
            @Item final class A {
                @Attribute(.indexed, unknown: .keep) var a: B = .c
                @Attribute(unknown: .keep) var b: B?
                @Attribute(unknown: .report) var c: B?
            }
            """
        ).text
        for getter in [
            "attribute(at: 0, orUnknown: .c)", "optionalAttributeOrUnknown(at: 1)",
            "optionalAttribute(at: 2)",
        ] {
            #expect(text.contains("            \(getter)\n"))
        }
    }

    @Test func typeKeyCanBeGiven() {
        #expect(Expansion(#"@Item("dish") final class A {}"#).text.contains(#"("dish""#) == false)
        #expect(Expansion(#"@Item("dish") final class A {}"#).text.contains("\"dish\","))
        #expect(Expansion("@Item(nil) final class A {}").text.contains("\"A\","))
    }

    @Test func formerNamesOfTheTypeAreInItsSchema() {
        let one = Expansion(#"@Item("Dish", originalName: "Meal") final class A {}"#)
        #expect(one.messages == [])
        #expect(
            one.text.contains(
                #"""
                    static let schema = JustPersist.ItemSchema(
                        "Dish",
                        formerTypeKeys: ["Meal"],
                        attributes: [],
                        indexes: [])
                """#))
        let several = Expansion(#"@Item(originalName: "B", "C.\"D") final class A {}"#)
        #expect(several.messages == [])
        #expect(several.text.contains("\"A\",\n"))
        #expect(several.text.contains(##"formerTypeKeys: ["B", #"C."D"#],"##))
    }

    @Test(arguments: [
        ("var a = 1", "Int"), ("var a = -1", "Int"), ("var a = 1.5", "Double"),
        ("var a = \"\"", "String"), ("var a = true", "Bool"), ("var a: Int8 = 1", "Int8"),
        ("var a: [String: [Int]] = [:]", "[String: [Int]]"), ("var a: A.B?", "A.B"),
        ("var a: Optional<Int>", "Int"), ("var a: Swift.Optional<Int>", "Int"),
        ("var a: (Int)?", "Int"), ("var a: (Int?)", "Int"),
        ("public private(set) var a: Int?", "Int"),
    ])
    func typesAreFound(declaration: String, type: String) {
        let expansion = Expansion("@Item final class C { \(declaration) }")
        #expect(expansion.messages == [])
        #expect(expansion.text.contains("kinds(of: \(type).self)"))
    }

    @Test func otherMembersAreLeftAlone() {
        let members = """
                static var a = 1
                var b: Int { 1 }
                var c: Int { get { 1 } set {} }
                func d() {}
                convenience init(e: Int) { self.init() }
                init(f: A) { backing = f.backing }
            """
        let expansion = Expansion("@Item final class A {\n\(members)\n}")
        #expect(expansion.messages == [])
        #expect(expansion.text.contains(members))
        #expect(expansion.text.contains("attributes: []"))
    }

    @Test func defaultOfAnOptionalIsOnlyAnInitialValue() {
        let text = Expansion("@Item final class A { var a: Int? = 1; var b: Int? = nil }").text
        #expect(text.contains("optionalAttribute(at: 0)"))
        #expect(text.contains("self.a = 1"))
        #expect(!text.contains("self.b = nil"))
        #expect(text.contains("{\n        self.a = 1\n    }"))
    }
}
