import Foundation
import JustPersist
import JustPersistMigration
import Testing

/// What makes two digests differ.
@Suite struct TypeDigestTests {
    private func digest(_ items: [(UInt64, [String: DataStoreValue])]) -> TypeDigest {
        var digest = TypeDigest()
        for (number, values) in items { digest.add(ItemID(high: 0, low: number), values) }
        return digest
    }

    @Test func orderAndNullsDoNotCount() {
        #expect(
            digest([(1, ["a": .int(1), "b": .null]), (2, [:])])
                == digest([(2, ["c": .null]), (1, ["a": .int(1)])]))
    }

    /// People keep what the tool prints, so the hash must not change from run to run or release to release.
    ///
    /// The figure comes from a second implementation of the documented form.
    @Test func hashIsTheSameEverywhere() {
        let values: [String: DataStoreValue] = [
            "a": .int(1), "b": .array([.string("é"), .null, .double(0.5)]), "c": .bool(true),
        ]
        #expect(digest([(7, values)]).hash == 0xdd55e78761c67b09)
    }

    @Test func everyDifferenceCounts() {
        let contents: [[(UInt64, [String: DataStoreValue])]] = [
            [], [(1, [:])], [(2, [:])], [(1, [:]), (1, [:])], [(1, [:]), (2, [:])],
            [(1, ["a": .int(1)])], [(1, ["b": .int(1)])], [(1, ["a": .int(2)])],
            [(1, ["a": .double(1)])], [(1, ["a": .bool(true)])], [(1, ["a": .string("1")])],
            [(1, ["a": .double(0)])], [(1, ["a": .double(-0.0)])],
            [(1, ["a": .string("é")])], [(1, ["a": .string("e\u{301}")])],
            [(1, ["a": .array([])])], [(1, ["a": .dictionary([:])])],
            [(1, ["a": .array([.null])])], [(1, ["a": .dictionary(["": .null])])],
            [(1, ["a": .array([.string("ab"), .string("c")])])],
            [(1, ["a": .array([.string("a"), .string("bc")])])],
            [(1, ["a": .array([.array([.int(1)]), .int(2)])])],
            [(1, ["a": .array([.array([.int(1), .int(2)])])])],
            [(1, ["a": .string("x"), "b": .string("y")])],
            [(1, ["a": .string("y"), "b": .string("x")])],
            [(1, ["a": .string("x")]), (2, ["a": .string("y")])],
            [(1, ["a": .string("y")]), (2, ["a": .string("x")])],
            [(1, ["a": .date(Date(timeIntervalSinceReferenceDate: 1))])],
            [(1, ["a": .data(Data())])], [(1, ["a": .data(Data([0]))])],
            [(1, ["a": .uuid(ItemID(high: 1, low: 1).uuid)])], [(1, ["a": .decimal(1)])],
            [(1, ["a": .reference(ItemReference(itemTypeKey: "T", id: ItemID(high: 0, low: 1)))])],
            [(1, ["a": .reference(ItemReference(itemTypeKey: "U", id: ItemID(high: 0, low: 1)))])],
        ]
        #expect(Set(contents.map(digest)).count == contents.count)
    }
}
