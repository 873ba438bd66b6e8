import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistMigration
import JustPersistRecords
import Workload

/// A store that is copied into another one, and the judgement of the copy.
enum MigratedStores {
    private static let types = ["Letter", "Stamp"]

    private static func schema(_ type: String) -> ItemSchema {
        ItemSchema(
            type,
            attributes: [
                AttributeSchema("number", kinds: [.int], isUnique: true),
                AttributeSchema("name", kinds: [.string], isIndexed: true),
                AttributeSchema("body"),
                AttributeSchema("level", default: .int(3), isOptional: true),
                AttributeSchema("other"),
            ], indexes: [IndexSchema(["level", "name"])], relationships: relationships(of: type))
    }

    /// Letters answer one letter each; stamps and letters are related many to many, and letters keep their order.
    private static func relationships(of type: String) -> [RelationshipSchema] {
        type == "Letter"
            ? [
                RelationshipSchema("question", to: "Letter"),
                RelationshipSchema("answers", to: "Letter", isToMany: true, inverse: "question"),
                RelationshipSchema(
                    "stamps", to: "Stamp", isToMany: true, isOrdered: true, inverse: "letters"),
            ] : [RelationshipSchema("letters", to: "Letter", isToMany: true)]
    }

    /// Fills the source: large and small values, defaults and nulls that were set, references, and numbers no two items share.
    static func make(_ arguments: Arguments) throws {
        let store = try arguments.store
        try store.open()
        var random = SeededGenerator(seed: try arguments.workload.seed)
        let count = try arguments.number("items", or: 0)
        for start in stride(from: 0, to: count, by: 1_000) {
            try store.write { db in
                for type in types { try db.declare(schema(type)) }
                var last: ItemReference?
                var items: [String: [DynamicItem]] = [:]
                for number in start..<min(count, start + 1_000) {
                    let item = try db.create(random.pick(types))
                    item["number"] = .int(Int64(number))
                    item["name"] = .string("é \(random.int(in: 0..<500))")
                    item["body"] = body(&random)
                    if random.int(in: 0..<3) == 0 { item["level"] = .null }
                    if let last { item["other"] = .array([.reference(last), .null]) }
                    last = item.reference
                    items[item.backing.itemTypeKey, default: []].append(item)
                    guard number % 3 == 0,
                        let letter = items["Letter"]?.suffix(20).randomElement(using: &random),
                        let stamp = items["Stamp"]?.suffix(20).randomElement(using: &random)
                    else { continue }
                    if item.backing.itemTypeKey == "Letter" {
                        item.setRelated("question", to: letter)
                    }
                    ToMany<DynamicItem>(of: letter, "stamps").insert(stamp, at: 0)
                }
            }
        }
        try store.close()
    }

    private static func body(_ random: inout SeededGenerator) -> DataStoreValue {
        switch random.int(in: 0..<50) {
        case 0: .data(Data(repeating: UInt8(random.int(in: 0..<256)), count: 20_000))
        case 1..<10: .null
        case 10..<20: .double(Double(bitPattern: random.next()))
        default: .string(String(repeating: "x", count: random.int(in: 0..<200)))
        }
    }

    /// Copies the store into the target: as records, through the contract alone, or by updates; says how many items were there
    /// before, and that it is done.
    static func migrate(_ arguments: Arguments) throws {
        let source = try arguments.store("store", isReadOnly: true)
        let target = try arguments.store("target")
        try source.open()
        try target.open()
        let way = try arguments.text("way")
        do {
            Probe.say("found \(try count(in: target))")
        } catch let error as DataStoreError where error.code == .unfinishedCopy {
            Probe.say("found a part")
        }
        let migration = Migration(
            from: way == "contract" ? ContractOnly(source) : source, to: target,
            policy: way == "update" ? .updateByID : .intoEmpty,
            batchSize: try arguments.number("batch", or: 150))
        let start = ContinuousClock.now
        try migration.run()
        let time = Int((ContinuousClock.now - start) / .milliseconds(1))
        try target.close()
        Probe.say("done \(time)")
    }

    private static func count(in store: any DataStore) throws -> Int {
        try store.read { db in
            var count = 0
            for schema in try db.schemas() where types.contains(schema.itemTypeKey) {
                count += try db.count(DataStoreRequest(itemTypeKey: schema.itemTypeKey))
            }
            return count
        }
    }

    /// Compares the copy with the source in every way, and says what bytes the source holds.
    static func judge(_ arguments: Arguments) throws {
        let source = try arguments.store("store", isReadOnly: true)
        let target = try arguments.store("target")
        try source.open()
        try target.open()
        let expected = try arguments.number("items", or: 0)
        guard try count(in: target) == expected, try count(in: source) == expected else {
            Probe.fail(.wrongAnswer, "\(try count(in: target)) items, and \(expected) were written")
        }
        for type in types {
            let digests = try [source, target].map { store in
                try store.read { try $0.digest(ofType: type) }
            }
            guard digests[0] == digests[1] else {
                Probe.fail(.wrongAnswer, "the digests of \(type) differ: \(digests)")
            }
        }
        let summary = try StoreComparison(source, target).run { difference in
            Probe.fail(.wrongAnswer, "\(difference)")
        }
        // The links of relationships are compared, too.
        guard summary.isSame, summary.same > expected else {
            Probe.fail(.wrongAnswer, "\(summary)")
        }
        guard try links(in: source) == links(in: target) else {
            Probe.fail(.wrongAnswer, "the relationships differ")
        }
        if let problem = try target.verify().problems.first {
            Probe.fail(.wrongAnswer, "verify: \(problem)")
        }
        try source.close()
        try target.close()
        Probe.say("bytes \(try hash(of: source))")
    }

    /// The others of each item, in their order, by its id and the relationship.
    private static func links(in store: any DataStore) throws -> [String: [ItemID]] {
        try store.read { db in
            var links: [String: [ItemID]] = [:]
            for type in types {
                for item in try db.dynamicItems(DataStoreRequest(itemTypeKey: type)) {
                    for relationship in relationships(of: type) {
                        let (id, name) = (item.uniqueToken, relationship.name)
                        links["\(id) \(name)"] =
                            relationship.isToMany
                            ? item.related(toMany: name, as: DynamicItem.self).ids
                            : item.relatedID(name).map { [$0] } ?? []
                    }
                }
            }
            return links
        }
    }

    /// A hash of all keys and values of a closed store, by FNV-1a.
    private static func hash(of store: any DataStore) throws -> UInt64 {
        switch store {
        case let store as LMDBDataStore: try hash(of: store.engine)
        case let store as LevelDBDataStore: try hash(of: store.engine)
        default: throw Arguments.Failure("the bytes of \(store) cannot be read")
        }
    }

    private static func hash(of engine: some KeyValueEngine) throws -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func add(_ bytes: Span<UInt8>) {
            for place in bytes.indices {
                hash = (hash ^ UInt64(bytes[place])) &* 0x0000_0100_0000_01b3
            }
            hash = (hash ^ UInt64(bytes.count)) &* 0x0000_0100_0000_01b3
        }
        try engine.open()
        defer { engine.close() }
        try engine.read { reader in
            try reader.scan(KeyRange(from: [], upTo: nil), reversed: false) {
                (key, value) throws(DataStoreError) in
                add(key)
                add(value)
                return .next
            }
        }
        return hash
    }
}

/// A store of which nothing is known but that it keeps the contract.
private final class ContractOnly: DataStore {
    private let store: any DataStore

    init(_ store: any DataStore) { self.store = store }

    var capabilities: DataStoreCapabilities { store.capabilities }
    var errorHandler: DataStoreErrorHandler? {
        get { store.errorHandler }
        set { store.errorHandler = newValue }
    }

    func open() throws { try store.open() }
    func close() throws { try store.close() }
    func destroy() throws { try store.destroy() }

    func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        try store.performRead(block)
    }

    func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        try store.performWrite(block)
    }

    func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) { store.enqueueWrite(block, completion: completion) }
}
