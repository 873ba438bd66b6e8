import Foundation
import Testing

/// What `query` prints with `--group-by` and `--select`.
@Suite struct AggregateQueryTests {
    private let tool: Tool
    private let store: String

    init() throws {
        tool = try Tool()
        store = tool.store("lmdb")
        let rows = try tool.file(
            "rows.jsonl",
            """
            {"name":"a","borough":"Queens","stars":5,"address":{"zip":"1"}}
            {"name":"b","borough":"Bronx","stars":4,"address":{"zip":"1"}}
            {"name":"c","borough":"Queens","stars":2,"address":{"zip":"2"}}
            {"name":"d","stars":1}

            """)
        try #require(try tool("import", store, "Place", rows).status == 0)
    }

    private func query(_ options: String...) throws -> String {
        let run = try tool.start(["query", store, "Place"] + options).end()
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        return run.output
    }

    @Test func aGroupIsARow() throws {
        #expect(
            try query("--group-by", "borough", "--select", "count,average:stars,max:stars") == """
                borough  count  average.stars  max.stars
                -------  -----  -------------  ---------
                             1            1.0          1
                Bronx        1            4.0          4
                Queens       2            3.5          5

                """)
        #expect(
            try query("--group-by", "address.zip", "--format", "csv", "--where", "stars > 1")
                == "address.zip,count\n1,2\n2,1\n")
        #expect(
            try query("--group-by", "borough,stars", "--limit", "2", "--format", "jsonl") == """
                {"borough":null,"stars":1,"count":1}
                {"borough":"Bronx","stars":4,"count":1}

                """)
    }

    @Test func rowsAreChosenSortedAndSliced() throws {
        let options = ["--group-by", "borough", "--select", "count,sum:stars", "--format", "csv"]
        func boroughs(_ more: String...) throws -> [Substring] {
            let run = try tool.start(["query", store, "Place"] + options + more).end()
            #expect(run.status == 0, "\(run.errors)")
            return Array(run.output.split(separator: "\n").dropFirst())
        }
        #expect(try boroughs("--having", "count > 1") == ["Queens,2,7"])
        #expect(
            try boroughs("--having", "sum.stars < 5", "--sort", "sum.stars:desc")
                == ["Bronx,1,4", ",1,1"])
        #expect(try boroughs("--sort", "sum:stars:desc", "--limit", "1") == ["Queens,2,7"])
        #expect(try boroughs("--sort", "borough:desc", "--offset", "2") == [",1,1"])
        #expect(try query("--group-by", "borough", "--format", "count") == "3\n")
    }

    @Test func selectComputesOfAllItemsOrChoosesColumns() throws {
        #expect(
            try query("--select", "count", "--format", "csv").split(separator: "\n").first
                == "count")
        #expect(
            try query("--select", "count,sum:stars,count:borough", "--format", "json")
                == "[{\"count\":4,\"sum.stars\":12,\"count.borough\":3}\n]\n")
        #expect(
            try query("--select", "name,address.zip", "--where", "stars > 3", "--format", "csv")
                == "name,address.zip\na,1\nb,1\n")
    }

    @Test func whatIsWrongIsSaid() throws {
        let cases: [([String], Int32, String)] = [
            (["--group-by", "boroug"], 1, "--group-by asks for. Did you mean “borough”?"),
            (["--group-by", "borough", "--select", "max:star"], 1, "Did you mean “stars”?"),
            (["--select", "nam"], 1, "--select asks for. Did you mean “name”?"),
            (["--group-by", "borough", "--having", "counts > 1"], 1, "Did you mean “count”?"),
            (["--group-by", "borough", "--sort", "name"], 1, "no column “name”"),
            (["--select", "sum:name"], 1, "values of kind string have none"),
            (["--group-by", "borough", "--select", "stars"], 64, "“stars” is nothing to compute"),
            (["--select", "median:stars"], 64, "“median:stars” is nothing to compute"),
            (["--having", "count > 1"], 64, "add --group-by"),
            (["--group-by", "borough", "--explain"], 64, "--explain"),
            (["--columns", "name", "--select", "name"], 64, "--columns cannot be used"),
        ]
        for (options, status, text) in cases {
            let run = try tool.start(["query", store, "Place"] + options).end()
            #expect(run.status == status && run.output.isEmpty, "\(options)")
            #expect(run.errors.contains(text), "\(run.errors)")
        }
    }
}
