import Foundation
import JustPersist
import Testing

@Suite struct CodableAttributesTests {
    let log = ErrorLog()

    /// Sets the value, and gives what is stored.
    private func stored<Value: Codable>(_ value: Value) throws -> DataStoreValue {
        let holder = Holder<Value>(backing: log.backing(of: Holder<Value>.self))
        holder.value = value
        return try holder.storedValue(forKeyPath: "value")
    }

    /// What is stored, as the type.
    private func read<Value: Codable>(_ stored: DataStoreValue, as type: Value.Type) -> Value? {
        Holder<Value>(backing: log.backing(of: Holder<Value>.self, values: ["value": stored])).value
    }

    private func expectTrip<Value: Codable & Equatable>(_ value: Value) throws {
        #expect(read(try stored(value), as: Value.self) == value)
        #expect(log.errors.isEmpty)
    }

    @Test func nestedValuesKeepTheirKinds() throws {
        let leaf = Leaf(
            flag: true, small: -1, big: 7, ratio: 1.5, half: 0.5, text: "", date: Date(),
            data: Data([1]), uuid: UUID(), decimal: Decimal(1) / 3,
            url: URL(filePath: "/a b"), id: ItemID(),
            reference: ItemReference(itemTypeKey: "A", id: ItemID()), any: .array([.null]),
            none: nil)
        let value = try stored(["leaves": [leaf]])
        guard case .dictionary(let root) = value, case .array(let leaves) = root["leaves"],
            case .dictionary(let entries) = leaves.first
        else {
            Issue.record("\(value)")
            return
        }
        #expect(
            entries.mapValues(\.kind) == [
                "flag": .bool, "small": .int, "big": .int, "ratio": .double, "half": .double,
                "text": .string, "date": .date, "data": .data, "uuid": .uuid,
                "decimal": .decimal, "url": .url, "id": .uuid, "reference": .reference,
                "any": .array,
            ])
        try expectTrip(["leaves": [leaf]])
    }

    @Test func trickyTreesComeBack() throws {
        try expectTrip(Tree(name: "a", children: [Tree(name: "", children: [])], parent: nil))
        try expectTrip([1: "a", -2: "b"])
        try expectTrip([Key.first: [Choice.plain, .pair(1, b: "x"), .nested(.plain)]])
        try expectTrip([UUID(): Date()])
        try expectTrip(Set([Date(), Date.distantPast]))
        try expectTrip([Optional(Leaf.Pair(a: 1)), nil])
        try expectTrip(["a": Leaf.Pair?.none, "b": Leaf.Pair(a: 1)])
        try expectTrip(Leaf.Pair(a: nil))
        try expectTrip(Wrapper(Wrapper(Wrapper("x"))))
        try expectTrip(1..<2)
        try expectTrip(ByHand(numbers: [[1], [], [2, 3]], names: ["a": ["b": 1.5]], last: nil))
        try expectTrip(Empty())
        try expectTrip([Empty(), Empty()])
    }

    @Test func superclassesAreKept() throws {
        for useSuperEncoder in [false, true] {
            let value = Derived(base: 1, derived: "a", useSuperEncoder: useSuperEncoder)
            let holder = Holder<Derived>(backing: log.backing(of: Holder<Derived>.self))
            holder.value = value
            let back = try #require(holder.value)
            #expect(back.base == 1)
            #expect(back.derived == "a")
            let key = useSuperEncoder ? "value.super.base" : "value.base"
            #expect(try holder.storedValue(forKeyPath: key) == .int(1))
        }
    }

    @Test func enumsInCollectionsAreTheirRawValues() throws {
        #expect(
            try stored([Meal.Course.main, .dessert])
                == .array([.string("main"), .string("dessert")]))
    }

    @Test func whatDoesNotEncodeNamesItsPath() throws {
        let holder = Holder<[String: [Number]]>(
            backing: log.backing(of: Holder<[String: [Number]]>.self))
        holder.value = ["a": [Number(value: 1), Number(value: .max)]]
        #expect(try holder.storedValue(forKeyPath: "value") == .null)
        #expect(log.codes == [.unsupportedValue])
        let error = try #require(log.errors.first)
        #expect(error.message.contains("a.1.value") && error.message.contains("UInt64"))
        #expect(error.attribute == "value")
    }

    @Test func whatDoesNotDecodeNamesItsPath() throws {
        let cases: [(DataStoreValue, DataStoreError.Code, String)] = [
            (
                .dictionary(["a": .array([.dictionary(["value": .bool(true)])])]), .kindMismatch,
                "a.0.value"
            ),
            (.dictionary(["a": .array([.dictionary([:])])]), .unsupportedValue, "“a.0”"),
            (.dictionary(["a": .dictionary([:])]), .kindMismatch, "“a”"),
            (.dictionary(["a": .array([.null])]), .unsupportedValue, "“a.0”"),
            (.string("a"), .kindMismatch, "string"),
        ]
        for (value, code, text) in cases {
            let log = ErrorLog()
            let holder = Holder<[String: [Number]]>(
                backing: log.backing(
                    of: Holder<[String: [Number]]>.self, values: ["value": value]))
            #expect(holder.value == nil)
            #expect(log.codes == [code])
            #expect(log.errors.first?.message.contains(text) == true)
        }
    }

    @Test func valuesThatEncodeInconsistentlyAreRefused() throws {
        #expect(try stored(Inconsistent(way: .twoContainers)) == .null)
        #expect(try stored(Inconsistent(way: .twoValues)) == .null)
        #expect(try stored(Inconsistent(way: .nothing)) == .null)
        #expect(try stored(Inconsistent(way: .itself)) == .null)
        #expect(
            log.codes == [
                .unsupportedValue, .unsupportedValue, .unsupportedValue, .limitExceeded,
            ])
    }

    /// On the smallest stack that threads have on any supported system.
    @Test func depthIsLimitedBeforeTheStackIs() async throws {
        @Sendable func tree(depth: Int) -> Tree {
            (0..<depth).reduce(Tree(name: "", children: [], parent: nil)) { tree, _ in
                Tree(name: "", children: [tree], parent: nil)
            }
        }
        let log = log
        let stored = await withCheckedContinuation { continuation in
            let thread = Thread {
                let holder = Holder<Tree>(backing: log.backing(of: Holder<Tree>.self))
                holder.value = tree(depth: 45)
                let isBack = holder.value == tree(depth: 45)
                holder.value = tree(depth: 200)
                continuation.resume(returning: isBack && holder.value == tree(depth: 45))
            }
            thread.stackSize = 512 * 1024
            thread.start()
        }
        #expect(stored)
        #expect(log.codes == [.limitExceeded])

        let deep = (0..<1000).reduce(DataStoreValue.dictionary(["name": .string("")])) { value, _ in
            .dictionary(["name": .string(""), "children": .array([value])])
        }
        #expect(read(deep, as: Tree.self) == nil)
        #expect(log.codes == [.limitExceeded, .limitExceeded])
    }
}
