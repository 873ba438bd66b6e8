import Testing

/// The struct of an item's values.
@Suite struct ValuesTests {
    /// The struct as it is printed, without indentation.
    private func lines(_ source: String) -> [String] {
        Expansion(source).text.split(separator: "\n").map {
            String($0.drop { $0 == " " })
        }
    }

    @Test func attributesOfKnownTypesAreStored() {
        let lines = lines(
            "@Item final class A { var a = 1; var b: [String: Date?]?; var c: ItemID? }")
        for line in [
            "struct Values: JustPersist.ItemValues, Swift.Codable, Swift.Hashable {",
            "var uniqueToken: JustPersist.ItemID", "var a: Int", "var b: [String: Date?]?",
            "init(id: JustPersist.ItemID = JustPersist.ItemID(), a: Int = 1, b: [String: Date?]? = nil, c: ItemID? = nil) {",
            "self.uniqueToken = id", "self.a = a", "init(_ item: A) {",
            "self.uniqueToken = item.uniqueToken", "self.a = item.a",
            "func assign(to item: A) {", "item.b = self.b",
            "let values = try JustPersist.ItemValuesDecoder(decoder)",
            #"self.uniqueToken = try values.id("id")"#,
            #"self.a = try values.attribute("a", default: 1)"#,
            #"self.b = try values.optionalAttribute("b")"#,
            #"try values.id(self.uniqueToken, "id")"#, #"try values.attribute("a", self.a)"#,
            #"try values.optionalAttribute("c", self.c)"#,
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        #expect(!lines.contains { $0.contains("ItemValueStorage") })
    }

    @Test func attributesOfOtherTypesAreKeptAsTheCompilerChooses() {
        let lines = lines(
            "@Item final class A { var a: Kind = .one; var _a = 1; var `in`: [Kind]? }")
        for line in [
            "private var __a = JustPersist.ItemValueStorage.of((Kind).self, .one)", "var a: Kind {",
            "__a.value", "__a.value = newValue",
            "private var `_in` = JustPersist.ItemValueStorage.of(([Kind]?).self, nil)",
            "var `in`: [Kind]? {", "self.__a = .init(item.a)", "self.`_in` = .init(`in`)",
            #"self.__a = .init(try values.attribute("a", default: .one))"#,
            #"self.`_in` = .init(try values.optionalAttribute("in"))"#, "item.`in` = self.`in`",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
    }

    @Test func nilOfAnOptionalWithADefaultIsWritten() {
        let lines = lines(#"@Item final class A { var a: String? = "x" }"#)
        #expect(
            lines.contains(#"self.a = try values.optionalAttribute("a", default: "x")"#))
        #expect(
            lines.contains(#"try values.optionalAttribute("a", self.a, hasDefault: true)"#))
    }

    @Test func anAttributeMayBeNamedID() {
        let lines = lines("@Item final class A { var id: Int = 0 }")
        #expect(lines.contains(#"self.uniqueToken = try values.id("uniqueToken")"#))
        #expect(
            lines.contains(
                "init(uniqueToken: JustPersist.ItemID = JustPersist.ItemID(), id: Int = 0) {"))
    }

    @Test func accessIsThatOfTheClassAndTheProperties() {
        let lines = lines(
            """
            @Item public final class A {
                public private(set) var a: Int = Self.standard
                var b = 2
                private var c = 3
                fileprivate var d = 4
                static let standard = 1
            }
            """)
        for line in [
            "public struct Values: JustPersist.ItemValues, Swift.Codable, Swift.Hashable {",
            "public var uniqueToken: JustPersist.ItemID", "public private(set) var a: Int",
            "var b: Int", "public init(_ item: A) {", "public func assign(to item: A) {",
            "public init(from decoder: any Swift.Decoder) throws {",
            "public func encode(to encoder: any Swift.Encoder) throws {",
            "public static var _default_a: Int {", "A.standard", "self.b = 2",
            "public init(id: JustPersist.ItemID = JustPersist.ItemID(), a: Int = Values._default_a) {",
            "@_disfavoredOverload init(id: JustPersist.ItemID = JustPersist.ItemID(), a: Int = A.standard, b: Int = 2) {",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        #expect(!lines.contains { $0.contains("item.c") || $0.contains("item.d") })
    }

    @Test func attributesOfAPrivateClassAreSeenInItsFile() {
        let lines = lines(
            "@Item private final class A { fileprivate var a = 1; private var b = 2 }")
        #expect(lines.contains("fileprivate var a: Int"))
        #expect(!lines.contains { $0.contains("item.b") })
    }

    @Test(arguments: ["struct Values {}", "enum Values {}", "typealias Values = Int"])
    func aTypeOfThatNameStays(declaration: String) {
        let expansion = Expansion("@Item final class A { \(declaration); var a: Values? }")
        #expect(expansion.messages == [])
        #expect(!expansion.text.contains("ItemValues"))
        #expect(!expansion.text.contains("ItemWithValues"))
        #expect(expansion.text.contains("extension A: DataStoreItem, MutableDataStoreItem"))
    }

    @Test func aTypeOfThatNameOutsideIsHidden() {
        let expansion = Expansion("@Item final class A { var a: [Values]? }")
        #expect(
            expansion.messages == [
                """
                'a' cannot have the type 'Values', whose name is that of the struct that @Item makes; \
                write the name of its module before it, or use a typealias
                """
            ])
        #expect(expansion.places == ["Values"])
        #expect(Expansion("@Item final class A { var a: B.Values? }").messages == [])
    }
}
