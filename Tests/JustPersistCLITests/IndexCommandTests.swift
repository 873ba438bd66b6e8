import Foundation
import JustPersist
import Testing

/// What `index` does, and what `query --explain` says of it.
@Suite struct IndexCommandTests {
    private let tool: Tool
    private let store: String

    init() throws {
        tool = try Tool()
        store = tool.store("lmdb")
        let rows = (0..<300).map { #"{"name":"place \#($0)","stars":\#($0 % 30)}"# }
        let file = try tool.file("rows.jsonl", rows.joined(separator: "\n") + "\n")
        try #require(try tool("import", store, "Place", file).status == 0)
    }

    @Test func anIndexIsAddedUsedListedAndDropped() throws {
        let question = ["query", store, "Place", "--where", "stars == 7", "--explain"]
        let before = try tool.start(question).end()
        #expect(before.output.hasPrefix("all items read: 0 entries and 300 records"))

        #expect(try tool("index", "add", store, "Place", "stars", "name").status == 0)
        let after = try tool.start(question).end()
        #expect(
            after.output
                == "index on stars, name: 10 entries and 10 records examined, 10 items found\n")
        let list = try tool("index", "list", store)
        #expect(list.output.contains("Place  stars, name  no"))

        #expect(try tool("index", "drop", store, "Place", "stars", "name").status == 0)
        #expect(try tool.start(question).end().output == before.output)
        #expect(try tool("verify", store).status == 0)
    }

    /// Flags that distinguish several indexes were required when there was only one.
    @Test func everyIndexThatIsListedIsDropped() throws {
        let rows = (0..<3).map {
            ##"{"a b":\##($0),"name":"n\##($0)","c,d":1,"at":{"zip code":\##($0)}}"##
        }
        let file = try tool.file("odd.jsonl", rows.joined(separator: "\n"))
        try #require(try tool("import", store, "Odd", file).status == 0)
        let added = [
            ["a b"], ["name", "--unique"], ["name", "a b", "--ignore-case"], ["at.zip code"],
            ["c,d", "a b", "--unique", "--ignore-case"],
        ]
        for words in added {
            let run = try tool.start(["index", "add", store, "Odd"] + words).end()
            try #require(run.status == 0, "\(run.errors)")
        }
        let list = try tool("index", "list", store, "Odd").output.split(separator: "\n").dropFirst(
            2)
        #expect(list.count == added.count)
        for line in list {
            let cells = line.split(separator: #/ {2,}/#).map(String.init)
            let written = cells[1] == "c,d, a b" ? ["c,d", "a b"] : [cells[1]]
            let run = try tool.start(["index", "drop", store, "Odd"] + written).end()
            #expect(run.status == 0, "\(line): \(run.errors)")
        }
        #expect(try tool("index", "list", store, "Odd").output.split(separator: "\n").count == 2)
        #expect(try tool("verify", store).status == 0)
    }

    @Test func flagsSayWhichOfSeveralIndexesIsDropped() throws {
        for flags in [[], ["--ignore-case"]] {
            try #require(
                try tool.start(["index", "add", store, "Place", "name"] + flags).end().status == 0)
        }
        let unique = try tool("index", "drop", store, "Place", "name", "--unique")
        #expect(unique.status == 1 && unique.errors.contains("has no unique index over “name”"))
        #expect(try tool("index", "drop", store, "Place", "name", "--ignore-case").status == 0)
        #expect(try tool("index", "list", store).output.contains("counts"))
        #expect(try tool("index", "drop", store, "Place", "name").status == 0)
        #expect(try !tool("index", "list", store).output.contains("Place"))
    }

    @Test func whatCannotBeIsRefusedWithAdvice() throws {
        let unknown = try tool("index", "add", store, "Place", "star")
        #expect(unknown.status == 1 && unknown.errors.contains("Did you mean “stars”?"))
        let type = try tool("index", "list", store, "Plaice")
        #expect(type.status == 1 && type.errors.contains("“Place”"))
        let none = try tool("index", "drop", store, "Place", "stars")
        #expect(none.status == 1 && none.errors.contains("has no index over “stars”"))
        let missing = try tool("index", "add", tool.store("other"), "Place", "stars")
        #expect(missing.status == 1)
        #expect(try tool("index", "add", store, "Place").status == 64)
        let duplicates = try tool("index", "add", store, "Place", "stars", "--unique")
        #expect(duplicates.status == 1 && duplicates.errors.contains("The index was not added"))
        #expect(try !tool("index", "list", store).output.contains("Place"))
    }
}
