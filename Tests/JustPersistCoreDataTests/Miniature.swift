import CSQLite
import Foundation
import JustPersist
import JustPersistCoreData
import JustPersistMemory
import Testing

/// A small store of Core Data, written with SQL by the rules of its files.
struct Miniature {
    struct Attribute {
        var name: String
        var type: Int
        var isOptional = true
        var flags = 0
        var transformer: String?
        var value: PropertyList?
        var former: String?
        var elements: [Attribute] = []

        init(
            _ name: String, _ type: Int, isOptional: Bool = true, flags: Int = 0,
            transformer: String? = nil, default value: PropertyList? = nil, former: String? = nil,
            elements: [Attribute] = []
        ) {
            (self.name, self.type, self.isOptional, self.flags) = (name, type, isOptional, flags)
            (self.transformer, self.value, self.former) = (transformer, value, former)
            self.elements = elements
        }
    }

    struct Relationship {
        var name: String
        var destination: String
        var inverse: String?
        var isToMany = false
        var isOrdered = false
        var minimum = 0
        var rule = 1

        init(
            _ name: String, _ destination: String, _ inverse: String?, isToMany: Bool = false,
            isOrdered: Bool = false, minimum: Int = 0, rule: Int = 1
        ) {
            (self.name, self.destination, self.inverse) = (name, destination, inverse)
            (self.isToMany, self.isOrdered) = (isToMany, isOrdered)
            (self.minimum, self.rule) = (minimum, rule)
        }
    }

    /// An entity; its number is its place in the list, counted from 1.
    struct Entity {
        var name: String
        var parent: String?
        var isAbstract = false
        var attributes: [Attribute] = []
        var relationships: [Relationship] = []
        var unique: [[String]] = []

        init(
            _ name: String, parent: String? = nil, isAbstract: Bool = false,
            _ attributes: [Attribute] = [], _ relationships: [Relationship] = [],
            unique: [[String]] = []
        ) {
            (self.name, self.parent, self.isAbstract) = (name, parent, isAbstract)
            (self.attributes, self.relationships, self.unique) = (attributes, relationships, unique)
        }
    }

    var entities: [Entity]
    /// The statements that create the tables and rows of the entities.
    var sql: String
    var hasModel = true
    /// The hashes of the entities, by which Core Data recognizes the version of a model.
    var hashes: [String: Data]?

    init(_ entities: [Entity], _ sql: String) { (self.entities, self.sql) = (entities, sql) }

    /// The archive of the model.
    var archive: [UInt8] {
        let writer = ArchiveWriter()
        func description(_ attribute: Attribute) -> PropertyList {
            let isComposite = attribute.type == 2100
            let elements = attribute.elements.map(description)
            return writer.object(
                isComposite ? "NSCompositeAttributeDescription" : "NSAttributeDescription",
                [
                    ("NSPropertyName", writer.text(attribute.name)),
                    ("NSAttributeType", .int(Int64(attribute.type))),
                    ("NSIsOptional", .bool(attribute.isOptional)),
                    ("NSFlagsKey", .int(Int64(attribute.flags))),
                    ("NSValueTransformerName", writer.text(attribute.transformer)),
                    ("NSDefaultValue", attribute.value.map(writer.value) ?? .uid(0)),
                    ("NSRenamingIdentifier", writer.text(attribute.former ?? attribute.name)),
                ] + (isComposite ? [("elements", writer.array(elements))] : []))
        }
        let entities = entities.map { entity in
            var properties = entity.attributes.map { ($0.name, description($0)) }
            for relationship in entity.relationships {
                properties.append(
                    (
                        relationship.name,
                        writer.object(
                            "NSRelationshipDescription",
                            [
                                ("NSPropertyName", writer.text(relationship.name)),
                                ("_NSDestinationEntityName", writer.text(relationship.destination)),
                                ("_NSInverseRelationshipName", writer.text(relationship.inverse)),
                                ("NSMinCount", .int(Int64(relationship.minimum))),
                                ("NSMaxCount", .int(relationship.isToMany ? 0 : 1)),
                                ("NSDeleteRule", .int(Int64(relationship.rule))),
                                ("NSIsOrdered", .bool(relationship.isOrdered)),
                                ("NSIsOptional", .bool(relationship.minimum == 0)),
                            ])
                    ))
            }
            let parent =
                entity.parent.map {
                    writer.object("NSEntityDescription", [("NSEntityName", writer.text($0))])
                } ?? .uid(0)
            let unique = writer.array(entity.unique.map { writer.array($0.map(writer.text)) })
            return (
                entity.name,
                writer.object(
                    "NSEntityDescription",
                    [
                        ("NSEntityName", writer.text(entity.name)), ("NSSuperentity", parent),
                        ("NSIsAbstract", .bool(entity.isAbstract)),
                        ("NSProperties", writer.dictionary(properties)), ("NSUniqueTuples", unique),
                    ])
            )
        }
        let root = writer.object(
            "NSManagedObjectModel", [("NSEntities", writer.dictionary(entities))])
        return writer.bytes(root: root)
    }

    /// The statements that create the whole store.
    var script: String {
        let list = hashes.map { hashes in
            literal(
                PropertyList.dictionary([
                    (
                        "NSStoreModelVersionHashes",
                        .dictionary(hashes.sorted { $0.key < $1.key }.map { ($0, .data($1)) })
                    )
                ]).bytes)
        }
        var lines = [
            "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
            "INSERT INTO Z_METADATA VALUES (1, '0E4A7E5C-1C6D-4F0C-9C57-5B7E5D7B6A01', \(list ?? "NULL"))",
            "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
        ]
        for (place, entity) in entities.enumerated() {
            let parent = entities.firstIndex { $0.name == entity.parent }.map { $0 + 1 } ?? 0
            lines.append(
                "INSERT INTO Z_PRIMARYKEY VALUES (\(place + 1), '\(entity.name)', \(parent), 0)")
        }
        if hasModel {
            lines.append("CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)")
            lines.append("INSERT INTO Z_MODELCACHE VALUES (\(literal(deflated(archive))))")
        }
        return (lines + [sql]).joined(separator: ";\n")
    }

    /// Writes the store into a directory.
    @discardableResult
    func write(into directory: TemporaryDirectory, name: String = "Model.sqlite") throws -> URL {
        let file = directory.url.appending(path: name)
        try SQL(file).run(script)
        return file
    }

    /// The report on an import into a store in memory, and that store.
    func imported(
        _ change: (inout CoreDataImport) -> Void = { _ in }
    ) throws -> (store: InMemoryDataStore, report: CoreDataImport.Report) {
        let directory = try TemporaryDirectory()
        var settings = CoreDataImport(try write(into: directory))
        change(&settings)
        let store = try memoryStore()
        let report = try settings.run(into: store)
        return (store, report)
    }
}

/// A connection to an SQLite file, for statements.
@safe final class SQL {
    // SAFETY: used by one test, and closed with the object.
    private let connection: OpaquePointer

    init(_ file: URL) throws {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        let status = unsafe sqlite3_open_v2(file.path, &opened, flags, nil)
        guard status == SQLITE_OK, let connection = unsafe opened else {
            throw CocoaError(.fileReadUnknown)
        }
        unsafe self.connection = connection
    }

    deinit { unsafe sqlite3_close_v2(connection) }

    func run(_ statements: String) throws {
        let status = unsafe sqlite3_exec(connection, statements, nil, nil, nil)
        let message = unsafe String(cString: sqlite3_errmsg(connection))
        try #require(status == SQLITE_OK, "\(message)")
    }
}

/// A directory for one test, which is removed with its contents when this object is released.
final class TemporaryDirectory {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory
            .appending(path: "JustPersist-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}

/// An open store in memory.
func memoryStore() throws -> InMemoryDataStore {
    let store = InMemoryDataStore()
    try store.open()
    return store
}

extension DataStore {
    /// The values of all items of a type, in the order of their creation.
    func rows(_ type: String) throws -> [[String: DataStoreValue]] {
        try read { db in
            try db.dynamicItems(DataStoreRequest(itemTypeKey: type)).map { try $0.values() }
        }
    }

    /// The names of the others of each item, in their order.
    func names(_ relationship: String, of type: String) throws -> [String: [String]] {
        try read { db in
            var names: [String: [String]] = [:]
            for item in try db.dynamicItems(DataStoreRequest(itemTypeKey: type)) {
                let others = item.related(toMany: relationship, as: DynamicItem.self)
                names[item["name"].text] = others.map { $0["name"].text }
            }
            return names
        }
    }

    /// The name of the other of each item that has one.
    func name(_ relationship: String, of type: String) throws -> [String: String] {
        try read { db in
            var names: [String: String] = [:]
            for item in try db.dynamicItems(DataStoreRequest(itemTypeKey: type)) {
                let other = item.related(relationship, as: DynamicItem.self)
                names[item["name"].text] = other?["name"].text
            }
            return names
        }
    }

    /// The declaration of a type.
    func schema(_ type: String) throws -> ItemSchema {
        try read { db in try #require(try db.schemas().first { $0.itemTypeKey == type }) }
    }
}

extension DataStoreValue {
    var text: String {
        if case .string(let text) = self { text } else { "" }
    }
}
