import Foundation
import JustPersist
import Testing

@testable import JustPersistConformance

/// The dump of a store, and the difference of two.
@Suite struct StoreDumpTests {
    private func text(_ value: DataStoreValue) -> String {
        value.canonicalText(naming: \.description)
    }

    @Test(
        arguments: [
            (DataStoreValue.double(0), DataStoreValue.double(-0.0)),
            (.int(1), .double(1)), (.int(1), .bool(true)), (.string(""), .null),
            (.double(.nan), .double(Double(bitPattern: Double.nan.bitPattern | 1))),
            (.string("é"), .string("e\u{301}")), (.string("a"), .string("a\0")),
            (.string("\\0"), .string("\0")), (.string("[]"), .array([])),
            (.string("a\", string \"b"), .array([.string("a"), .string("b")])),
            (.array([.array([])]), .array([.array([]), .array([])])),
            (.date(Date(timeIntervalSinceReferenceDate: 0.1)), .double(0.1)),
            (.data(Data([1, 2])), .data(Data([0x12]))),
            (.dictionary(["a": .null]), .dictionary([:])),
        ])
    func valuesThatDifferHaveOtherTexts(_ a: DataStoreValue, _ b: DataStoreValue) {
        #expect(text(a) != text(b))
        #expect(text(a).utf8.allSatisfy { (32..<127).contains($0) })
    }

    @Test func textsAreReadable() {
        #expect(text(.string("a\"b\0é\n")) == #"string "a\"b\0\u{e9}\n""#)
        #expect(
            text(.dictionary(["b": .array([.int(1), .null]), "a": .data(Data([10, 255]))]))
                == #"{"a": data 2:0aff, "b": [int 1, null]}"#)
    }

    private func store(_ types: [String: [[String: DataStoreValue]]]) throws -> any DataStore {
        let store = ReferenceDataStore()
        try store.open()
        try store.write { db in
            var number: UInt64 = 0
            for (type, items) in types.sorted(by: { $0.key < $1.key }) {
                let names = Set(items.flatMap(\.keys)).sorted()
                try db.declare(ItemSchema(type, attributes: names.map { AttributeSchema($0) }))
                for values in items {
                    number += 1
                    let item = DynamicItem(
                        type, id: ItemID(high: 0, low: number), values: values)
                    _ = try db.performInsert(item)
                }
            }
        }
        return store
    }

    private func dump(_ types: [String: [[String: DataStoreValue]]]) throws -> StoreDump {
        try StoreDump(of: store(types)) { "#\($0.low)" }
    }

    @Test func dumpHasTypesItemsAndValuesInOrder() throws {
        let dump = try dump([
            "B": [["b": .int(1), "a": .string("x")], [:]], "A": [["c": .bool(true)]],
        ])
        #expect(
            dump.text == """
                "A"
                  #1
                    "c": bool true
                "B"
                  #2
                    "a": string "x"
                    "b": int 1
                  #3
                """)
    }

    @Test func differenceNamesTypeItemAndAttribute() throws {
        let expected = try dump(["A": [["a": .int(1)], ["a": .int(2), "b": .int(3)]]])
        let actual = try dump(["A": [["a": .int(1)], ["a": .string("2")], [:]], "B": []])
        #expect(actual.difference(from: actual) == nil)
        #expect(
            actual.difference(from: expected) == """
                "A" #2, "a": got string "2", expected int 2
                "A" #2, "b": got null, expected int 3
                "A" #3 is there and should not be
                """)
        #expect(
            expected.difference(from: actual, showing: 1) == """
                "A" #2, "a": got int 2, expected string "2"
                and 2 more differences
                """)
        #expect(
            try dump([:]).difference(from: dump(["é": [[:]]])) == #""\u{e9}" #1 is missing"#)
    }

    @Test func longValuesAreCutToWhereTheyDiffer() throws {
        let long = String(repeating: "x", count: 10_000)
        let difference = try #require(
            try dump(["A": [["a": .string(long + "b")]]])
                .difference(from: dump(["A": [["a": .string(long + "c")]]])))
        #expect(difference.utf8.count < 400)
        #expect(difference.contains("xb\" (10010 characters"))
        #expect(difference.contains("xc\" (10010 characters"))
    }

    @Test func childrenAreDumpedToo() throws {
        let store = try store(["A": [["a": .int(1)]]])
        let child = try store.makeChild()
        try child.open()
        try child.write { db in try db.performDeleteAll([ItemType(dynamic: "A")]) }
        #expect(try StoreDump(of: child).types.isEmpty)
        #expect(try StoreDump(of: store).types.count == 1)
    }
}

extension StoreDump {
    /// The dump in lines: a type, below it its items, below each its values.
    var text: String {
        var lines: [String] = []
        for type in types {
            lines.append(type.name)
            for item in type.items {
                lines.append("  \(item.name)")
                lines += item.attributes.map { "    \($0.name): \($0.value)" }
            }
        }
        return lines.joined(separator: "\n")
    }
}
