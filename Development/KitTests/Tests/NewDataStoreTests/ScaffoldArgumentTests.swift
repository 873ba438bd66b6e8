import Testing

@Suite struct ScaffoldArgumentTests {
    @Test func aNameMakesAWrapperInATargetOfItsOwn() throws {
        let scaffold = try #require(try Scaffold(arguments: ["Realm"]))
        #expect(scaffold.name == "Realm")
        #expect(!scaffold.isKeyValue)
        #expect(scaffold.target == "JustPersistRealm")
        #expect(scaffold.testTarget == "JustPersistRealmTests")
    }

    @Test func optionsMayStandAnywhere() throws {
        for arguments in [
            ["--engine", "--target", "App", "Rocks"], ["Rocks", "--target", "App", "--engine"],
        ] {
            let scaffold = try #require(try Scaffold(arguments: arguments))
            #expect(scaffold.name == "Rocks")
            #expect(scaffold.isKeyValue)
            #expect(scaffold.target == "App")
        }
    }

    @Test(arguments: [
        (["RealmDataStore"], "Realm"), (["RocksEngine", "--engine"], "Rocks"),
        (["RocksDataStore", "--engine"], "Rocks"), (["RealmEngine"], "Realm"),
        (["B2"], "B2"),
    ])
    func aSuffixIsNotWrittenTwice(arguments: [String], name: String) throws {
        #expect(try Scaffold(arguments: arguments)?.name == name)
    }

    @Test(arguments: [["--help"], ["-h"], ["Realm", "--help"]])
    func helpIsNoError(arguments: [String]) throws {
        #expect(try Scaffold(arguments: arguments) == nil)
        #expect(Scaffold.usage.contains("--engine"))
    }

    @Test(arguments: [
        ([], "NAME is missing"), (["Realm", "Rocks"], "One NAME at a time; there are 2"),
        (["--fast", "Realm"], "There is no option --fast"),
        (["Realm", "--target"], "--target needs"),
        (["realm"], "“realm” cannot begin the name of a type"), (["1Realm"], "cannot begin"),
        (["My Realm"], "cannot begin"), (["Ré"], "cannot begin"), (["../Realm"], "cannot begin"),
        ([""], "cannot begin"), (["class"], "“class” is a keyword"), (["Self"], "is a keyword"),
        (["DataStore"], "would clash"), (["KeyValue", "--engine"], "would clash"),
        (["Engine", "--engine"], "would clash"), (["Row"], "would clash"),
        (["Realm", "--target", "a/b"], "“a/b” cannot be the name of a module"),
        (["Realm", "--target", "import"], "cannot be the name of a module"),
    ])
    func whatCannotBeDoneIsRefused(arguments: [String], message: String) throws {
        let error = #expect(throws: ScaffoldError.self) { try Scaffold(arguments: arguments) }
        #expect(error?.description.contains(message) == true, "\(arguments): \(error as Any)")
    }
}

extension Scaffold {
    /// A valid request of a test.
    static func make(_ arguments: String...) throws -> Scaffold {
        try #require(try Scaffold(arguments: arguments))
    }
}
