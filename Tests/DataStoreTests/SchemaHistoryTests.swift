import Foundation
import JustPersist
import JustPersistConformance
import JustPersistMigration
import Testing

/// Random sequences of releases: declarations, renamings, conversions, removals and writes, compared with the reference
/// store after each.
@Suite struct SchemaHistoryTests {
    @Test(arguments: [Backend.memory, .lmdb, .levelDB])
    func randomHistoriesAgreeWithTheReference(_ backend: Backend) throws {
        let seed = Self.seed
        for number in 0..<Self.histories(backend) {
            try Self.compare(backend, seed: seed &+ UInt64(number), steps: 40)
        }
    }

    private static var seed: UInt64 {
        ProcessInfo.processInfo.environment["JP_SEED"].flatMap { UInt64($0) }
            ?? .random(in: 0..<1 << 40)
    }

    private static func histories(_ backend: Backend) -> Int {
        ProcessInfo.processInfo.environment["JP_HISTORIES"].flatMap { Int($0) }
            ?? (backend == .memory ? 60 : 10)
    }

    private static func compare(_ backend: Backend, seed: UInt64, steps: Int) throws {
        let reference = Backend.reference.make(at: URL(filePath: "/"))
        try reference.open()
        var random = SeededGenerator(seed: seed)
        var log: [String] = []
        try backend.withStore { store in
            for _ in 0..<steps {
                var changes = (0..<random.int(in: 1..<4)).map { _ in SchemaHistoryStep(&random) }
                // A block has one object for an item, of a class or without one.
                if let used = changes.first(where: \.usesClass) { changes = [used] }
                let isRolledBack = random.int(in: 0..<8) == 0
                log.append("\(changes)\(isRolledBack ? ", rolled back" : "")")
                let outcomes = try [store, reference].map {
                    try outcome(of: changes, isRolledBack, on: $0)
                }
                let states = try [store, reference].map(SchemaHistoryState.init)
                if random.int(in: 0..<10) == 0, backend.isPersistent {
                    try store.close()
                    try store.open()
                    log.append("reopened")
                }
                guard outcomes[0] == outcomes[1], states[0].rows == states[1].rows else {
                    Issue.record(
                        """
                        seed \(seed): \(log.joined(separator: "\\n"))
                        \(outcomes[0]) and not \(outcomes[1])
                        \(states[0])
                        and not
                        \(states[1])
                        """)
                    return
                }
                // Which of several names without values remains differs, and so does what follows.
                if states[0].schemas != states[1].schemas { break }
            }
            if backend == .memory { try compareCopies(of: store, seed) }
        }
        try reference.close()
    }

    /// A copy by records, and one by items, have the same items.
    private static func compareCopies(of store: any DataStore, _ seed: UInt64) throws {
        for backend in [Backend.memory, .reference] {
            try backend.withStore { copy in
                try Migration(from: store, to: copy).run()
                try #expect(
                    SchemaHistoryState(copy).rows == SchemaHistoryState(store).rows, "seed \(seed)")
                let summary = try StoreComparison(store, copy).run { difference in
                    if case .type = difference { return }
                    Issue.record("seed \(seed): \(difference)")
                }
                #expect(summary.different + summary.onlyInFirst + summary.onlyInSecond == 0)
            }
        }
    }

    /// The codes of the errors, in the order of the changes and of the block.
    private static func outcome(
        of changes: [SchemaHistoryStep], _ isRolledBack: Bool, on store: any DataStore
    ) throws -> [String] {
        struct RolledBack: Error {}
        var codes: [String] = []
        do {
            try store.write { db in
                for change in changes {
                    do {
                        try change.run(db)
                        codes.append("-")
                    } catch let error as DataStoreError {
                        codes.append(code(of: error))
                    }
                }
                if isRolledBack { throw RolledBack() }
            }
        } catch is RolledBack {
        } catch let error as DataStoreError {
            codes.append(code(of: error))
        }
        return codes
    }

    /// A class may be refused for its key, its names and its values; a store reports one of them.
    private static func code(of error: DataStoreError) -> String {
        [.schemaMismatch, .conflictingAttributes, .conflictingTypes].contains(error.code)
            ? "refused" : error.code.rawValue
    }
}

/// The types and the items of a store, in the order of their creation.
private struct SchemaHistoryState: Equatable, CustomStringConvertible {
    var schemas: [String] = []
    var rows: [String: [[String: DataStoreValue]]] = [:]

    init(_ store: any DataStore) throws {
        (schemas, rows) = try store.read { db in
            var rows: [String: [[String: DataStoreValue]]] = [:]
            let schemas = try db.schemas()
            for schema in schemas {
                rows[schema.itemTypeKey] = try db.dynamicItems(
                    DataStoreRequest(itemTypeKey: schema.itemTypeKey)
                ).map { try $0.values() }
            }
            return (schemas.map(Self.text).sorted(), rows)
        }
    }

    private static func text(_ schema: ItemSchema) -> String {
        let attributes = schema.attributes.map { attribute in
            """
            \(attribute.name)(\(attribute.formerNames.sorted())): \(attribute.kinds.map { "\($0)" }.sorted()) \
            \(attribute.defaultValue.map { "\($0)" } ?? "-") \(attribute.isOptional)
            """
        }.sorted()
        return "\(schema.itemTypeKey)(\(schema.formerTypeKeys.sorted())): \(attributes)"
    }

    var description: String { "\(schemas.joined(separator: "\n")) \(rows)" }
}

/// A change of a schema or of items, as a program makes it.
private struct SchemaHistoryStep: CustomStringConvertible {
    let description: String
    var usesClass: Bool { description.hasPrefix("class") }
    let run: @Sendable (borrowing DataStoreWriter) throws -> Void

    private init(
        _ description: String, _ run: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void
    ) {
        self.description = description
        self.run = run
    }

    init(_ random: inout SeededGenerator) {
        let type = random.pick(["T", "U"])
        let name = random.pick(["a", "b", "c", "d"])
        let other = random.pick(["a", "b", "c", "d", "e"])
        let kind = random.pick([DataStoreValue.Kind.int, .double, .string, .bool, .date])
        let values: [DataStoreValue] = [
            .null, .int(random.pick([0, 1, 2, 1 << 53 + 1])), .double(random.pick([1, 2.5])),
            .string(random.pick(["", "1", "true", "x"])), .bool(random.bool()),
        ]
        let value = random.pick(values)
        let place = random.int(in: 0..<4)
        switch random.int(in: 0..<24) {
        case 0, 1:
            let isRenamed = random.bool()
            let hasDefault = random.int(in: 0..<3) == 0 && !value.isNull
            let isIndexed = random.int(in: 0..<3) == 0
            let isAny = random.bool()
            self.init(
                "declare \(type).\(name) \(isAny ? "any" : "\(kind)") \(isRenamed ? "originally \(other)" : "") \(hasDefault ? "default \(value)" : "") \(isIndexed ? "indexed" : "")"
            ) { db in
                try db.declare(
                    ItemSchema(
                        type,
                        attributes: [
                            AttributeSchema(
                                name, kinds: isAny ? [] : [kind],
                                default: hasDefault ? value : nil,
                                originalName: isRenamed ? other : nil, isIndexed: isIndexed)
                        ]))
            }
        case 2: self.init("class 1") { db in try Self.use(ReleaseOne.self, db) }
        case 3: self.init("class 2") { db in try Self.use(ReleaseTwo.self, db) }
        case 4: self.init("class 3") { db in try Self.use(ReleaseThree.self, db) }
        case 5...10:
            self.init("create \(type) \(name) \(value)") { db in
                let item = try db.create(type)
                try item.backing.setValue(value, forAttribute: name)
            }
        case 11...13:
            self.init("set \(type) \(place).\(name) \(value)") { db in
                try Self.item(place, type, db)?.backing.setValue(value, forAttribute: name)
            }
        case 14:
            self.init("delete \(type) \(place)") { db in
                if let item = try Self.item(place, type, db) { _ = try db.performDelete(item) }
            }
        case 15, 16:
            self.init("rename \(type).\(name) to \(other)") { db in
                try db.renameAttribute(name, to: other, of: type)
            }
        case 17:
            let preference = random.pick([AttributePreference.source, .target])
            self.init("merge \(type).\(name) into \(other), \(preference)") { db in
                try db.mergeAttribute(name, into: other, of: type, preferring: preference)
            }
        case 18, 19:
            let erases = random.bool()
            self.init("drop \(type).\(name) \(erases ? "erasing" : "")") { db in
                try db.dropAttribute(name, of: type, erasingValues: erases)
            }
        case 20, 21:
            let outcome = random.pick([ConversionFailure.fail, .drop, .keep(as: other)])
            self.init("convert \(type).\(name) to \(kind), \(outcome)") { db in
                try db.convert(name, of: type, to: kind, onFailure: outcome)
            }
        case 22:
            let key = random.pick(["T", "U", "V"])
            self.init("rename \(type) to \(key)") { db in try db.renameType(type, to: key) }
        default: self.init("drop \(type)") { db in try db.dropType(type) }
        }
    }

    private static func item(
        _ place: Int, _ type: String, _ db: borrowing DataStoreWriter
    ) throws -> DynamicItem? {
        let items = try db.dynamicItems(DataStoreRequest(itemTypeKey: type))
        return items.indices.contains(place) ? items[place] : nil
    }

    /// Uses a class as a program of its release does.
    private static func use<Item: MutableDataStoreItem>(
        _ type: Item.Type, _ db: borrowing DataStoreWriter
    ) throws {
        let item = try db.create(type)
        for attribute in Item.schema.attributes where attribute.kinds == [.int] {
            try item.setStoredValue(3, forKeyPath: attribute.name)
        }
        for item in try db.items(type) {
            for attribute in Item.schema.attributes {
                _ = try item.storedValue(forKeyPath: attribute.name)
            }
        }
    }
}

private final class ReleaseOne: MutableDataStoreItem {
    static let schema = ItemSchema(
        "T",
        attributes: [
            AttributeSchema("a", kinds: [.int]), AttributeSchema("b", kinds: [.string]),
        ])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }
}

private final class ReleaseTwo: MutableDataStoreItem {
    static let schema = ItemSchema(
        "T",
        attributes: [
            AttributeSchema("c", kinds: [.double], originalName: "a"),
            AttributeSchema("b", kinds: [.string], default: .string("none"), isIndexed: true),
        ])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }
}

private final class ReleaseThree: MutableDataStoreItem {
    static let schema = ItemSchema(
        "V", formerTypeKeys: ["T"],
        attributes: [
            AttributeSchema("c", kinds: [.int, .double], formerNames: ["a"]),
            AttributeSchema("d", kinds: [.int], default: .int(1)),
        ])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }
}
