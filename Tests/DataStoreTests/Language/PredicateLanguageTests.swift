import Foundation
import JustPersist
import JustPersistConformance
import Testing

/// Every form of NSPredicate's language.
@Suite struct PredicateLanguageTests {
    @Test(arguments: Backend.memoryAndReference)
    func findsWhatIsDocumented(_ backend: Backend) throws {
        #expect(LanguageTable.all.count >= 250)
        try backend.withStore { store in
            try Place.fill(store)
            for (format, numbers) in LanguageTable.all {
                let predicate = try DataStorePredicate(format)
                try #expect(
                    Place.numbers(in: store, where: predicate) == numbers, "\(format)")
                let others = Place.all.filter { !numbers.contains($0) }
                try #expect(
                    Place.numbers(in: store, where: !predicate) == others, "NOT \(format)")
            }
        }
    }

    @Test func theirTextsGiveThemBack() throws {
        for (format, _) in LanguageTable.all {
            let predicate = try DataStorePredicate(format)
            #expect(try DataStorePredicate(predicate.description) == predicate, "\(format)")
            let data = try JSONEncoder().encode(predicate)
            #expect(try JSONDecoder().decode(DataStorePredicate.self, from: data) == predicate)
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func argumentsAndVariables(_ backend: Backend) throws {
        try backend.withStore { store in
            try Place.fill(store)
            func expect(
                _ numbers: [Int], _ predicate: DataStorePredicate,
                _ location: SourceLocation = #_sourceLocation
            ) throws {
                try #expect(
                    Place.numbers(in: store, where: predicate) == numbers, "\(predicate)",
                    sourceLocation: location)
            }
            try expect([1], DataStorePredicate("%K.@avg.score == %d", "grades", 7))
            try expect([1], DataStorePredicate("%K == 7", "grades.@avg.score"))
            try expect([6], DataStorePredicate("%K[0][%d] == %i", "matrix", 1, 2))
            try expect([4], DataStorePredicate("name CONTAINS %%"))
            try expect([4], DataStorePredicate("name LIKE %@", "100% Pizza\\*"))
            try expect([1, 4], DataStorePredicate("stars IN %@", ["x": 5, "y": 2]))
            try expect([1], DataStorePredicate("stars == %x AND stars > %f", 5, 4.5))
            let range = try DataStorePredicate("stars BETWEEN {$low, $high} AND $tag IN tags")
            try expect([2], range.substituting(["low": 2, "high": 4, "tag": "bar"]))
            try expect([5], DataStorePredicate("stars == $x", variables: ["x": nil]))
            // The variable of a SUBQUERY is its own.
            let own = try DataStorePredicate(
                "SUBQUERY(nums, $x, $x > $y).@count == 2 AND stars != $x")
            try expect([1], own.substituting(["x": 3, "y": 2]))
            for (predicate, name) in [(range, "$"), (own, "$y"), (own, "$x")] {
                let rest = name == "$x" ? try predicate.substituting(["y": 1]) : predicate
                let error = expectError(.invalidPredicate) {
                    _ = try Place.numbers(in: store, where: rest)
                }
                if name != "$y" { #expect(error?.message.contains(name) == true) }
            }
        }
    }

    /// A MATCHES that does not end is stopped, wherever it stands, and the store works on.
    @Test func costlyExpressionsAreStopped() throws {
        try Backend.memory.withStore { store in
            try Place.fill(store)
            let text = String(repeating: "a", count: 40) + "!"
            try store.write { db in try db.create("Place")["name"] = .string(text) }
            for format in [
                "name MATCHES '(a+)+$'", "ANY {'x', %@} MATCHES '(a|aa)+'",
                "TERNARY(name MATCHES '(a+)+$', 1, 2) == 1", "NOT %@ MATCHES '(.*)*\\\\1x'",
            ] {
                let arguments: [Any?] = format.contains("%@") ? [text] : []
                let predicate = try DataStorePredicate(format, arguments: arguments)
                let error = expectError(.limitExceeded) {
                    _ = try Place.numbers(in: store, where: predicate)
                }
                #expect(error?.message.contains("MATCHES") == true)
            }
            try #expect(
                Place.numbers(in: store, where: DataStorePredicate("name == 'Bar?'")) == [5])
        }
    }
}
