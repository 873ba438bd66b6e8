import Foundation
import JustPersist
import JustPersistLMDB
import Testing

/// What `schema` shows, and what it changes.
@Suite struct SchemaCommandTests {
    private let tool: Tool
    private let store: String

    init() throws {
        tool = try Tool()
        store = tool.store("lmdb")
        let rows = [
            #"{"name":"Ritz","stars":"5"}"#, #"{"name":"Inn","stars":"many"}"#,
        ]
        let file = try tool.file("rows.jsonl", rows.joined(separator: "\n") + "\n")
        try #require(try tool("import", store, "Hotel", file).status == 0)
    }

    private func rows(_ type: String = "Hotel") throws -> String {
        try tool("query", store, type, "--format", "jsonl").output
    }

    @Test func theRecordOfAppliedStepsIsNotEdited() throws {
        let opened = try LMDBDataStore.open(at: URL(filePath: String(store.dropFirst(5))))
        try opened.apply(SchemaPlan("app") { SchemaStep("one") { _ in } })
        try opened.close()
        let step = "JustPersist.SchemaStep"
        for arguments in [
            ["delete", store, step, "--where", "TRUEPREDICATE", "--yes"],
            ["update", store, step, "--where", "TRUEPREDICATE", "--yes", "--set", "step=two"],
            ["schema", "drop", store, step, "--yes"], ["schema", "rename", store, "Hotel", step],
        ] {
            let result = try tool.start(arguments).end()
            #expect(result.status != 0)
            #expect(result.errors.contains("own record of applied steps"), "\(result.errors)")
        }
        #expect(try tool("schema", "history", store).output.contains("one"))
    }

    @Test func declarationsOfTwoStoresAreCompared() throws {
        let other = tool.store("lmdb", "other")
        let copied = try tool("migrate", store, other)
        #expect(copied.status == 0, "\(copied.errors)")
        let same = try tool("schema", "diff", store, other)
        #expect(same.status == 0 && same.output == "The declarations are the same.\n")
        // Items are not compared.
        _ = try tool("delete", other, "Hotel", "--where", "name == 'Inn'", "--yes")
        #expect(try tool("schema", "diff", store, other).status == 0)
        let file = try tool.file("others.jsonl", #"{"code":"a"}"# + "\n")
        _ = try tool("import", other, "Place", file)
        _ = try tool.start(
            ["schema", "rename", other, "Hotel", "title", "--attribute", "name"]
        ).end()
        let different = try tool("schema", "diff", store, other)
        #expect(different.status == 1)
        #expect(
            different.output == """
                ~ type Hotel
                  - attribute name
                  + attribute title
                + type Place

                """)
        let one = try tool("schema", "diff", store, other, "--type", "Place")
        #expect(one.status == 1 && one.output == "+ type Place\n")
        #expect(try tool("schema", "diff", store, other, "--type", "Plane").status != 0)
    }

    @Test func anAttributeIsConvertedRenamedAndDropped() throws {
        let shown = try tool("schema", store)
        #expect(shown.output.contains(#/Hotel +stars +any kind +string/#), "\(shown.output)")
        let refused = try tool("schema", "convert", store, "Hotel", "stars", "int")
        #expect(refused.status == 1)
        #expect(refused.errors.contains("“many”"), "\(refused.errors)")
        let converted = try tool.start(
            ["schema", "convert", store, "Hotel", "stars", "int", "--keep-as", "text"]
        ).end()
        #expect(converted.output == "1 item converted.\n1 item could not be converted.\n")
        #expect(
            try tool("schema", "check", store).output == "All values have the declared kinds.\n")
        #expect(
            try tool.start(["schema", "rename", store, "Hotel", "title", "--attribute", "name"])
                .end().status == 0)
        #expect(try tool("schema", "rename", store, "Hotel", "Inn").status == 0)
        let again = try tool("schema", "show", store, "Inn")
        #expect(again.output.contains(#/Inn +title +any kind +string +name/#), "\(again.output)")
        #expect(try rows("Inn").contains(#""title":"Ritz""#))
        let former = try tool("schema", "drop", store, "Inn", "name", "--yes")
        #expect(former.errors.contains("“name” of “Inn” is called “title” now"))

        let asked = try tool("schema", "drop", store, "Inn", "text")
        #expect(asked.status == 1)
        #expect(asked.errors.contains("“text” of 2 items of “Inn” would be removed."))
        #expect(
            try tool.start(["schema", "drop", store, "Inn", "text", "--erase", "--yes"]).end()
                .status
                == 0)
        #expect(try !rows("Inn").contains("many"))
        #expect(try tool.start(["schema", "drop", store, "Inn", "--yes"]).end().status == 0)
        #expect(try !tool("schema", store).output.contains("Inn"))
        #expect(try tool("verify", store).status == 0)
    }

    @Test func valuesOfOtherKindsAreFound() throws {
        LMDBDataStore.register()
        let opened = try DataStores.open(store)
        try opened.write { db in
            try db.declare(
                ItemSchema("Hotel", attributes: [AttributeSchema("stars", kinds: [.int])]))
        }
        try opened.close()
        let run = try tool("schema", "check", store)
        #expect(run.status == 1)
        #expect(
            run.output
                == "Hotel: “stars” is declared as int, and has values of kind string in 2 items\n")
    }

    @Test func theHistoryIsShown() throws {
        LMDBDataStore.register()
        let opened = try DataStores.open(store)
        try opened.apply(
            SchemaPlan("app", release: "2.0") {
                SchemaStep("one name") { db in try db.renameType("Hotel", to: "Inn") }
            })
        try opened.close()
        let run = try tool("schema", "history", store)
        #expect(run.output.contains(#/app +one name +20\d\d-.*Z +2\.0/#), "\(run.output)")
    }

    @Test func mistakesAreNamed() throws {
        for (words, text) in [
            (["rename", store, "Motel", "Inn"], "Motel"),
            (["convert", store, "Hotel", "beds", "int"], "beds"),
            (["drop", store, "Hotel", "beds", "--yes"], "beds"),
            (["convert", store, "Hotel", "stars", "number"], "There is no kind “number”"),
        ] {
            let run = try tool.start(["schema"] + words).end()
            #expect(run.status != 0, "\(words)")
            #expect(run.errors.contains(text), "\(run.errors)")
        }
    }
}
