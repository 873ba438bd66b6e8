import Testing

@Suite struct DiagnosticTests {
    // MARK: The class

    @Test(arguments: [
        (
            "struct A {}",
            "declare this as a final class; @Item gives it a struct named Values with copies of its attributes"
        ),
        (
            "private enum A { case a }",
            "an enum with a raw value, or a Codable one, can be the type of an attribute without @Item"
        ),
        (
            "enum A: Error { case a }",
            "an enum with a raw value, or a Codable one, can be the type of an attribute without @Item"
        ),
        (
            "actor A {}",
            "declare this as a final class; its items belong to the block that fetched them"
        ),
        ("protocol A {}", "attach it to the final class"),
    ])
    func onlyClassesAreItems(declaration: String, advice: String) {
        let expansion = Expansion("@Item \(declaration)")
        #expect(expansion.messages == ["@Item makes items of final classes only: \(advice)"])
        #expect(expansion.places == ["@Item"])
        #expect(!expansion.text.contains("backing"))
    }

    @Test(arguments: ["struct", "actor"]) func anotherKindIsMadeAClass(kind: String) {
        let expansion = Expansion("@Item public \(kind) A { var a = 1 }")
        #expect(
            expansion.fixed("make it a final class") == "@Item public final class A { var a = 1 }")
    }

    @Test func itemsBelongToNoActor() {
        let message = """
            cannot belong to the main actor, as items belong to the block that fetched them; remove @MainActor
            """
        let isolated = Expansion("@MainActor @Item final class A { var a = 1 }")
        #expect(isolated.messages == ["'A' \(message)"])
        #expect(!isolated.text.contains("backing"))
        let property = Expansion("@Item final class A { @MainActor var a = 1 }")
        #expect(property.messages == ["'a' \(message)"])
        #expect(property.places == ["@MainActor"])
    }

    @Test func classMustBeFinal() {
        let expansion = Expansion("@Item\npublic class A {}")
        #expect(
            expansion.messages == [
                "item class 'A' must be final, as an item's attributes are those of one class"
            ])
        #expect(expansion.fixed("add 'final'") == "@Item\npublic final class A {}")
    }

    @Test(arguments: [
        "@Item final class A<T> {}", "enum B<T> { @Item final class A {} }",
        "struct C<T> { enum B { @Item final class A {} } }",
    ])
    func classCannotBeGeneric(source: String) {
        let expansion = Expansion(source)
        #expect(
            expansion.messages == [
                """
                item class 'A' cannot be generic or inside a generic type: a stored type has one name
                """
            ])
        #expect(!expansion.text.contains("schema"))
    }

    @Test func classCannotBeLocal() {
        #expect(
            Expansion("func f() { @Item final class A {} }").messages == [
                "item class 'A' cannot be inside a function; declare it at file level or in a type"
            ])
    }

    @Test(arguments: [#""""#, #""a\(b)""#, "name", "\"\(String(repeating: "é", count: 128))\""])
    func typeKeyMustBeALiteral(key: String) {
        let expansion = Expansion("@Item(\(key)) final class A {}")
        #expect(
            expansion.messages == ["the type's name must be a string literal of 1 to 255 bytes"])
        #expect(expansion.places == [key])
    }

    @Test(arguments: [#""""#, #""a\(b)""#, "name", "\"\(String(repeating: "é", count: 128))\""])
    func formerTypeKeyMustBeALiteral(key: String) {
        for arguments in ["originalName: \(key)", #""A", originalName: "B", \#(key)"#] {
            let expansion = Expansion("@Item(\(arguments)) final class A {}")
            #expect(
                expansion.messages == ["originalName must be a string literal of 1 to 255 bytes"])
            #expect(expansion.places == [key])
        }
    }

    @Test(arguments: [
        (#"@Item("B", originalName: "B") final class A {}"#, "B"),
        (#"@Item(originalName: "C", "A") final class A {}"#, "A"),
        (#"enum B { @Item(originalName: "B.A") final class A {} }"#, "B.A"),
    ])
    func formerTypeKeyIsNotThePresentOne(source: String, key: String) {
        let expansion = Expansion(source)
        #expect(
            expansion.messages == [
                "'\(key)' is the type's present name; originalName is for the names that it had before"
            ])
        #expect(expansion.places == ["\"\(key)\""])
    }

    @Test func formerTypeKeyIsGivenOnce() {
        let expansion = Expansion(#"@Item(originalName: "B", "C", "B") final class A {}"#)
        #expect(expansion.messages == ["the original name 'B' is given twice; remove one"])
        #expect(expansion.text.contains(#"formerTypeKeys: ["B", "C"]"#))
    }

    @Test func ownInitMustBeConvenience() {
        let expansion = Expansion("@Item final class A { init(a: Int) { self.init() } }")
        #expect(
            expansion.messages == [
                "an init of an item class must be a convenience init that begins with self.init()"
            ])
        #expect(
            expansion.fixed("add 'convenience'")
                == "@Item final class A { convenience init(a: Int) { self.init() } }")
    }

    @Test func storedPropertyCannotBeConditional() {
        let source = "@Item final class A {\n#if B\n#if C\nvar a = 1\n#endif\n#endif\n}"
        #expect(
            Expansion(source).messages == [
                "a stored property of an item class cannot be inside #if; move it out"
            ])
        let harmless =
            "@Item final class A {\n#if B\nvar a: Int { 1 }\n@Transient var b = 1\n#endif\n}"
        #expect(Expansion(harmless).messages == [])
    }

    // MARK: Properties

    @Test func constantIsRefused() {
        let expansion = Expansion("@Item final class A {\n    private let a = 1\n}")
        #expect(
            expansion.messages == [
                """
                'a' cannot be a constant, as its value is in the store; make it a var or @Transient
                """
            ])
        #expect(expansion.fixes == ["make it a 'var'", "add '@Transient'"])
        #expect(
            expansion.fixed("make it a 'var'") == "@Item final class A {\n    private var a = 1\n}")
        #expect(
            expansion.fixed("add '@Transient'")
                == "@Item final class A {\n    @Transient private let a = 1\n}")
        #expect(Expansion("@Item final class A { let a: Int }").fixes == ["make it a 'var'"])
    }

    // MARK: Relationships

    @Test(arguments: [
        (
            "@Relationship let b: B?",
            "'b' cannot be a constant, as its value is in the store; make it a var or @Transient"
        ),
        (
            "@Relationship var b: [B]?",
            """
            the relationship 'b' needs the type of an item class: an optional for one other item, ToMany<…> or an array for \
            many
            """
        ),
        (
            "@Relationship var b: ToMany<B>?",
            """
            the relationship 'b' needs the type of an item class: an optional for one other item, ToMany<…> or an array for \
            many
            """
        ),
        (
            "@Attribute(.indexed) @Relationship var b: B?",
            "'b' is a relationship, which has an index and no options of @Attribute; remove one of both"
        ),
        (
            "@Relationship var b: [B] = [B()]",
            "the relationship 'b' begins with no other item; remove the value, and relate items in a write block"
        ),
        (
            "@Relationship(.ordered) var b: B?",
            "the only option is .ordered, of a relationship to many"
        ),
        (
            "@Relationship(inverse: path) var b: ToMany<B>",
            """
            the inverse of 'b' is written out: a key path such as \\Book.author, or the name in a string literal
            """
        ),
        ("var b: ToMany<B>; var b: ToMany<B>", "the property 'b' is declared twice; remove one"),
    ])
    func relationshipIsRefused(member: String, message: String) {
        #expect(Expansion("@Item final class A { \(member) }").messages == [message])
    }

    @Test(arguments: [
        "@Relationship var b: B?", "@Relationship var b: B? = nil", "@Relationship var b: [B] = []",
        "var b: ToMany<B>", "@Relationship(deleteRule: .cascade, inverse: \\B.a) var b: ToMany<B>",
    ])
    func relationshipIsAccepted(member: String) {
        let expansion = Expansion("@Item final class A { \(member) }")
        #expect(expansion.messages.isEmpty)
        #expect(expansion.text.contains("RelationshipSchema(\"b\", to: B.self"))
    }

    @Test func aNameBesideARelationshipIsNotTakenTwice() {
        let expansion = Expansion(
            "@Item final class A { var b = C.c; var b2: D? = nil; @Relationship var _b2: B? }")
        #expect(expansion.text.contains("var __b2"))
    }

    @Test(arguments: [
        ("lazy", "mark it @Transient"),
        ("weak", "refer to another item with an ItemReference?, or mark it @Transient"),
        ("unowned", "refer to another item with an ItemReference?, or mark it @Transient"),
    ])
    func modifierIsRefused(modifier: String, advice: String) {
        let expansion = Expansion("@Item final class A { \(modifier) var a: B? = nil }")
        #expect(
            expansion.messages == [
                "'a' cannot be \(modifier), as its value is in the store; \(advice)"
            ])
        #expect(
            expansion.fixed("add '@Transient'")
                == "@Item final class A { @Transient \(modifier) var a: B? = nil }")
    }

    @Test(arguments: [
        (
            "var a = 1 { didSet {} }",
            """
            'a' cannot have willSet or didSet, as its value is in the store; observe the store's \
            changes, or mark it @Transient
            """
        ),
        ("var a = 1, b = 2", "declare one attribute per line, each with its own var"),
        ("var (a, b) = (1, 2)", "declare one attribute per line, each with its own var"),
        (
            "var a = Date()",
            "add a type to 'a': only a number, string or Bool literal says what it is"
        ),
        ("var a = [1]", "add a type to 'a': only a number, string or Bool literal says what it is"),
        ("var a = nil", "add a type to 'a': only a number, string or Bool literal says what it is"),
        (
            "var a: Int",
            """
            'a' needs a default value, or an optional type: a stored item may have no value for it
            """
        ),
        (
            "@Transient var a: Int",
            "@Transient 'a' needs a default value: it is not stored with the item"
        ),
        ("var a: Int??", "'a' cannot be an optional of an optional: a store knows one kind of nil"),
        (
            "var a: Optional<Int?>",
            "'a' cannot be an optional of an optional: a store knows one kind of nil"
        ),
        (
            "var `a.b`: Int?",
            "'a.b' cannot be an attribute's name, which has 1 to 255 bytes and no dot"
        ),
    ])
    func declarationIsRefused(declaration: String, message: String) {
        #expect(Expansion("@Item final class A { \(declaration) }").messages == [message])
    }

    @Test(arguments: ["backing", "schema", "uniqueToken", "itemTypeKey", "setInitialValues"])
    func namesOfWhatEveryItemHasAreReserved(name: String) {
        let expansion = Expansion("@Item final class A { var \(name): String? }")
        #expect(
            expansion.messages == [
                "'\(name)' is a member that every item has; choose another name"
            ])
        #expect(expansion.places == [name])
    }

    @Test func anAttributeIsDeclaredOnce() {
        let expansion = Expansion("@Item final class A { var a: Int = 0; var `a`: String? }")
        #expect(expansion.messages == ["the property 'a' is declared twice; remove one"])
        #expect(expansion.places == ["`a`"])
    }

    @Test(arguments: [
        ("(Int, Int)?", "(Int, Int)", "a tuple"), ("[(Int, Int)]", "(Int, Int)", "a tuple"),
        ("(() -> Void)?", "() -> Void", "a function"),
        ("[String: () -> Int]", "() -> Int", "a function"),
        ("(@Sendable () -> Int)?", "@Sendable () -> Int", "a function"),
        ("(any P)?", "any P", "not a single concrete type"),
        ("[any P]", "any P", "not a single concrete type"),
        ("Any?", "Any", "not a single concrete type"),
        ("(P & Q)?", "P & Q", "not a single concrete type"),
        ("B.Type?", "B.Type", "a metatype"),
    ])
    func typeIsRefused(type: String, named: String, reason: String) {
        #expect(
            Expansion("@Item final class A { var a: \(type) = b }").messages == [
                """
                'a' cannot be stored: '\(named)' is \(reason); use a Codable struct or enum, or mark it \
                @Transient
                """
            ])
    }

    @Test func implicitlyUnwrappedOptionalIsRefused() {
        let expansion = Expansion("@Item final class A { var a: Int! }")
        #expect(
            expansion.messages == [
                """
                'a' cannot be implicitly unwrapped, as a stored item may have no value for it; make it \
                optional, or give it a default value
                """
            ])
        #expect(expansion.fixed("make it optional") == "@Item final class A { var a: Int? }")
    }

    // MARK: Attributes and indexes

    @Test(arguments: [
        "var a: Int { 1 }", "static var a = 1", "func a() {}", "struct B {}",
    ])
    func attributeBelongsOnStoredProperties(declaration: String) {
        for macro in ["Attribute", "Transient"] {
            #expect(
                Expansion("@Item final class A { @\(macro) \(declaration) }").messages == [
                    "@\(macro) belongs on a stored property of an @Item class"
                ])
        }
    }

    @Test func macrosBelongInItemClasses() {
        #expect(
            Expansion(#"class A { #Index<A>([\.a]); @Attribute var a = 1 }"#).messages.sorted() == [
                "#Index does nothing outside the body of an @Item class",
                "@Attribute does nothing outside the body of an @Item class",
            ])
    }

    @Test(arguments: [
        ("b", "originalName must be a string literal without interpolation"),
        (#""""#, "'' cannot be an attribute's name, which has 1 to 255 bytes and no dot"),
        (#""a.b""#, "'a.b' cannot be an attribute's name, which has 1 to 255 bytes and no dot"),
    ])
    func originalNameMustBeAName(name: String, message: String) {
        #expect(
            Expansion("@Item final class A { @Attribute(originalName: \(name)) var a = 1 }")
                .messages == [message])
    }

    @Test func ignoringCaseSaysSomethingOfAnIndex() {
        #expect(
            Expansion("@Item final class A { @Attribute(.ignoringCase) var a = 1 }").messages == [
                ".ignoringCase says how an index compares; add .indexed or .unique"
            ])
        #expect(
            Expansion(
                #"@Item final class A { #Index<A>([\.a], ignoringCase: flag); var a = 1 }"#
            ).messages == ["ignoringCase must be written out as true or false"])
    }

    @Test func optionsMustBeWrittenOut() {
        let expansion = Expansion("@Item final class A { @Attribute(options) var a = 1 }")
        #expect(expansion.messages == ["write the options out: .unique, .indexed, .ignoringCase"])
        #expect(expansion.places == ["options"])
    }

    @Test(arguments: [
        #"@Attribute(originalName: "b") var a = 1; var b = 1"#,
        #"var b = 1; @Attribute(originalName: "b") var a = 1"#,
        #"@Attribute(originalName: "c") var b = 1; @Attribute(originalName: "c") var a = 1"#,
    ])
    func namesMustDiffer(members: String) {
        #expect(
            Expansion("@Item final class A { \(members) }").messages == [
                "'b' and 'a' are kept under one name; each attribute needs its own"
            ])
    }

    @Test func ownNameIsNoClash() {
        let source = #"@Item final class A { @Attribute(originalName: "a") var a = 1 }"#
        #expect(Expansion(source).messages == [])
    }

    @Test(arguments: [
        (#"<A>([\.b])"#, "#Index is over attributes of this class, and 'b' is none"),
        (#"<A>([\.t])"#, "#Index is over attributes of this class, and 't' is none"),
        (
            #"<B>([\.a])"#,
            "#Index is written in the body of the class it is about, not of 'B'"
        ),
        (
            #"<A>([\.a.b])"#,
            #"#Index takes arrays of key paths to attributes of this class, such as [\.name]"#
        ),
        (
            "<A>([])",
            #"#Index takes arrays of key paths to attributes of this class, such as [\.name]"#
        ),
        (
            "<A>(paths)",
            #"#Index takes arrays of key paths to attributes of this class, such as [\.name]"#
        ),
    ])
    func indexIsOverAttributes(index: String, message: String) {
        let source = "@Item final class A { #Index\(index); var a = 1; @Transient var t = 1 }"
        #expect(Expansion(source).messages == [message])
    }

    @Test func theKeyPathThatIsNoAttributeIsShown() {
        let source = #"@Item final class A { #Index<A>([\.a], [\.a, \.nope]); var a = 1 }"#
        let expansion = Expansion(source)
        #expect(
            expansion.messages == ["#Index is over attributes of this class, and 'nope' is none"])
        #expect(expansion.places == [#"\.nope"#])
    }

    @Test func theTypeThatIsHiddenIsShown() {
        let expansion = Expansion("@Item final class A { var a: Values? = nil }")
        #expect(expansion.messages.first?.hasPrefix("'a' cannot have the type 'Values'") == true)
        #expect(expansion.places == ["Values"])
    }

    @Test func oneMistakeLeavesTheOtherAttributes() {
        let text = Expansion("@Item final class A { let a = 1; var b = 2 }").text
        #expect(text.contains("attribute(at: 0, default: 2)"))
    }
}
