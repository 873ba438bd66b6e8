import Foundation
import JustPersist
import JustPersistConformance
import Testing

/// Clause 10 for texts: compared by what they mean.
@Suite struct UnicodeTests {
    @Test func textsAreOrderedByTheScalarsOfTheirComposedForm() throws {
        var generator = SeededGenerator(seed: .random(in: 0 ... .max))
        print("seed: \(generator.seed)")
        let letters = [
            "a", "e", "\u{301}", "é", "!", "\u{327}", "\u{1E9}", "\u{AC00}", "\u{1100}", "\u{1161}",
            "\u{11A8}", "\u{323}", "\u{307}", "\u{212B}", "Å", "\u{30A}", "\u{344}", "क", "ि", "日",
            "\u{10348}", "\u{FB1D}", "👨‍👩‍👧", "\u{0}", "Ж", "ж",
        ]
        var texts = (0..<400).map { _ in
            (0..<generator.int(in: 0..<5)).map { _ in generator.pick(letters) }.joined()
        }
        texts += ["\u{1E9}", "\u{1E9}\u{327}", "e\u{301}", "é!", "\u{AC00}", "\u{AC00}\u{11A8}"]
        func composed(_ text: String) -> [UInt32] {
            text.decomposedStringWithCanonicalMapping.precomposedStringWithCanonicalMapping
                .unicodeScalars.map(\.value)
        }
        // In the order of their creation where they are equal.
        let expected = texts.enumerated().sorted { a, b in
            let (x, y) = (composed(a.element), composed(b.element))
            return x == y ? a.offset < b.offset : x.lexicographicallyPrecedes(y)
        }.map { Array($0.element.utf8) }
        try Backend.memory.withStore { store in
            try store.fill(texts)
            let names = try store.read { db in
                try db.items(Restaurant.self, sortedBy: .ascending("name")).map(\.name)
            }
            #expect(names.map { Array(($0 ?? "-").utf8) } == expected)
            for _ in 0..<20 {
                let text = generator.pick(texts)
                let before = texts.filter { composed($0).lexicographicallyPrecedes(composed(text)) }
                try #expect(
                    store.names(where: DataStorePredicate("name < %@", text)).count
                        == before.count, "\(Array(text.unicodeScalars))")
                try #expect(
                    store.names(where: DataStorePredicate("name >= %@", text)).count
                        == texts.count - before.count, "\(Array(text.unicodeScalars))")
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func caseAndMarksAreIgnoredWhereAsked(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.fill(["café", "CAFE", "Cafe\u{301}", "straße", "STRASSE", "ΣΑΣ", "σας", "ſ"])
            func count(_ format: String) throws -> Int {
                try store.names(where: DataStorePredicate(format)).count
            }
            try #expect(count("name == 'café'") == 1)
            try #expect(count("name ==[c] 'CAFÉ'") == 2)
            try #expect(count("name ==[cd] 'cafe'") == 3)
            try #expect(count("name ==[d] 'Cafe'") == 1)
            try #expect(count("name CONTAINS[cd] 'AFE'") == 3)
            try #expect(count("name CONTAINS[c] 'afe'") == 1)
            try #expect(count("name BEGINSWITH[c] 'CAF'") == 3)
            try #expect(count("name ENDSWITH[cd] 'é'") == 5)
            try #expect(count("name ==[c] 'strasse'") == 2)
            try #expect(count("name ==[c] 'σασ'") == 2)
            try #expect(count("name CONTAINS[c] 'S'") == 3)
        }
    }
}
