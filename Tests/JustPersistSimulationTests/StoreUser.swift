import Foundation
import JustPersist
import JustPersistImportExport
import JustPersistMigration
import JustPersistRecords
import JustPersistSimulation
import JustPersistSkopelos

/// A component that uses stores.
enum StoreUser: CaseIterable {
    case importOfAFile, exportToAFile, copy, copyThroughTheContract, update, comparison
    case verification, indexBuild, compaction, child, liveMigration, skopelos, queue

    /// Whether the component makes a kind of call on a disk.
    func calls(_ call: String, _ disk: String) -> Bool {
        let isOfSource = disk == "source"
        switch self {
        case .skopelos: return !isOfSource
        case .liveMigration: return true
        case .indexBuild, .child, .queue: return isOfSource
        case .importOfAFile, .copy, .copyThroughTheContract, .update:
            return call == "read" || !isOfSource
        case .exportToAFile, .comparison, .verification, .compaction:
            return call == "read" && isOfSource
        }
    }
}

/// The use of two stores by one of these components, and the required state of the stores afterwards.
struct StoreUse: Sendable {
    let user: StoreUser
    let simulation: Simulation
    private let directory: URL
    private var file: URL { directory.appending(path: "entries.json") }

    typealias Maker = (SimulatedDisk) -> any DataStore

    init(_ user: StoreUser, _ simulation: Simulation) throws {
        self.user = user
        self.simulation = simulation
        directory = try simulation.directory()
    }

    private static let schema = ItemSchema(
        "Entry",
        attributes: [
            AttributeSchema("name", kinds: [.string]), AttributeSchema("value", kinds: [.int]),
        ], indexes: [IndexSchema(["name"], isUnique: true)])

    private static let values = Dictionary(
        uniqueKeysWithValues: (1...16).map { ("entry \($0)", $0) })
    private static let doubled = values.mapValues { $0 * 2 }

    // MARK: Before

    /// Fills the source.
    func prepare() throws {
        let source = simulation.disk("source").store()
        try source.open()
        let values = Self.values.sorted { $0.value < $1.value }
        for batch in [values[..<6], values[6...]] {
            try source.write { db in
                try db.declare(Self.schema)
                for (name, value) in batch { try db.make(name, value) }
            }
        }
        try source.close()
        let rows = values.map { #"{"name": "\#($0.key)", "value": \#($0.value)}"# }
        let text = "[" + rows.joined(separator: ",\n") + "]"
        if user == .importOfAFile { try Data(text.utf8).write(to: file) }
    }

    // MARK: The use

    /// Uses the stores.
    ///
    /// Returns only if the whole operation is done.
    func run(_ make: Maker) throws {
        let source = make(simulation.disk("source"))
        let target = make(simulation.disk("target"))
        switch user {
        case .liveMigration: return try migrate(source, target)
        case .skopelos: return try useSkopelos(target)
        default: break
        }
        try source.open()
        defer { try? source.close() }
        try target.open()
        defer { try? target.close() }
        switch user {
        case .importOfAFile:
            var settings = ItemImport(itemType: "Entry", batchSize: 7)
            settings.key = "name"
            try settings.run(file, into: target)
        case .exportToAFile:
            let request = DataStoreRequest(itemTypeKey: "Entry")
            let count = try ItemExport(request).run(from: source, to: file, replacing: true)
            try simulation.require(count == Self.values.count, "\(count) items were exported")
        case .copy: try Migration(from: source, to: target, batchSize: 7).run()
        case .copyThroughTheContract:
            let source = SabotagedStore(source, .noneInStore)
            let target = SabotagedStore(target, .noneInStore)
            try Migration(from: source, to: target, batchSize: 7).run()
        case .update:
            try Migration(from: source, to: target, policy: .updateByID, batchSize: 7).run()
        case .comparison:
            let summary = try StoreComparison(source, target).run()
            try simulation.require(
                summary.onlyInFirst == Self.values.count && summary.same == 0, "\(summary)")
        case .verification:
            let report = try source.verify()
            // An unreadable part is reported as a problem of the store.
            if let problem = report.problems.first { throw problem }
            try simulation.require(
                report.itemCounts == ["Entry": Self.values.count], "\(report.itemCounts)")
        case .indexBuild:
            try source.write { db in
                try db.declare(
                    ItemSchema("Entry", attributes: [], indexes: [IndexSchema(["value"])]))
            }
            try source.buildIndexes()
        case .compaction: _ = try source.compact()
        case .child:
            let child = try source.makeChild()
            try child.open()
            defer { try? child.close() }
            try child.write { try $0.double(Self.values) }
            _ = try source.merge(child, policy: .fail)
        case .queue:
            let outcome = Shared<Result<Void, any Error>?>(nil)
            source.enqueueWrite({ try $0.double(Self.values) }) { error in
                outcome.value = error.map { .failure($0) } ?? .success(())
            }
            try simulation.wait { outcome.value != nil || !simulation.isAlive }
            try outcome.value?.get()
        case .liveMigration, .skopelos: break
        }
    }

    /// Uses a migrating store over the two stores, and switches it to the new one.
    private func migrate(_ old: any DataStore, _ new: any DataStore) throws {
        let store = MigratingDataStore(
            from: old, to: new, recordedIn: directory.appending(path: "migration.json"),
            errorHandler: { _ in })
        try store.open()
        defer { try? store.close() }
        try store.waitUntilInStep()
        try store.write { try $0.double(Self.values) }
        if store.status.phase != .switched {
            try store.waitUntilInStep()
            try store.cutOver()
        }
        try store.waitUntilInStep()
    }

    private func useSkopelos(_ store: any DataStore) throws {
        let failures = Shared<[DataStoreError]>([])
        store.errorHandler = { failures.value.append($0) }
        let stack = Skopelos(dataStore: store)
        defer { try? store.close() }
        stack.writeSync { db in
            let known = Set(Entry.SK_all(db).map(\.name))
            for (name, value) in Self.values.sorted(by: { $0.key < $1.key })
            where !known.contains(name) {
                let entry = Entry.SK_create(db)
                entry.name = name
                entry.value = value
            }
        }
        if let failure = failures.value.first { throw failure }
    }

    // MARK: Afterwards

    /// Checks the conditions that always hold, and those that hold if the operation is done.
    func check(isDone: Bool) throws {
        let source = try contents("source")
        let target: [String: Int]
        do {
            target = try contents("target")
        } catch let error as DataStoreError
            where user == .copy && !isDone && error.code == .unfinishedCopy
        {
            // The target must be completed or deleted.
            target = [:]
        }
        switch user {
        case .child, .queue, .liveMigration:
            let isDoubled = source == Self.doubled
            try simulation.require(
                isDoubled || !isDone && source == Self.values, "the source has \(source)")
        default: try simulation.require(source == Self.values, "the source has \(source)")
        }
        switch user {
        case .importOfAFile, .copy, .copyThroughTheContract, .update, .skopelos:
            let isPart = target.allSatisfy { Self.values[$0.key] == $0.value }
            try simulation.require(
                isDone ? target == Self.values : isPart, "the target has \(target)")
        case .liveMigration:
            try simulation.require(!isDone || target == source, "the target has \(target)")
        default: try simulation.require(target.isEmpty, "the target has \(target)")
        }
        if user == .exportToAFile {
            let rows = try? JSONDecoder().decode([Row].self, from: Data(contentsOf: file))
            let found = rows.map {
                Dictionary(uniqueKeysWithValues: $0.map { ($0.name, $0.value) })
            }
            let isThere = FileManager.default.fileExists(atPath: file.path)
            try simulation.require(
                found == Self.values || !isDone && !isThere, "the file has \(found ?? [:])")
            // A process that dies leaves its draft.
            let others = try FileManager.default.contentsOfDirectory(atPath: directory.path)
                .filter { $0 != file.lastPathComponent && !$0.hasSuffix(".unfinished") }
            try simulation.require(others.isEmpty, "there are \(others)")
        }
    }

    private struct Row: Decodable {
        let name: String
        let value: Int
    }

    /// The entries on a disk, after the store over it was verified.
    private func contents(_ disk: String) throws -> [String: Int] {
        let store = simulation.disk(disk).store()
        try store.open()
        defer { try? store.close() }
        let problems = try store.verify().problems
        try simulation.require(problems.isEmpty, "\(disk): \(problems)")
        return try store.read { try $0.values() }
    }
}

extension DataStoreReadAccessor where Self: ~Copyable {
    fileprivate func values() throws -> [String: Int] {
        guard try schemas().contains(where: { $0.itemTypeKey == "Entry" }) else { return [:] }
        var values: [String: Int] = [:]
        for item in try dynamicItems(DataStoreRequest(itemTypeKey: "Entry")) {
            guard case .string(let name) = item["name"], case .int(let value) = item["value"],
                values.updateValue(Int(value), forKey: name) == nil
            else { throw SimulationFailure("\(item) is half done, or there twice") }
        }
        return values
    }
}

extension DataStoreReadWriteAccessor where Self: ~Copyable {
    fileprivate func make(_ name: String, _ value: Int) throws {
        let item = try create("Entry")
        item["name"] = .string(name)
        item["value"] = .int(Int64(value))
    }

    /// Doubles the first value of each entry.
    fileprivate func double(_ values: [String: Int]) throws {
        for item in try dynamicItems(DataStoreRequest(itemTypeKey: "Entry")) {
            guard case .string(let name) = item["name"], let value = values[name] else { continue }
            let live: DynamicItem = try mutableVersion(ofItem: item)
            live["value"] = .int(Int64(value) * 2)
        }
    }
}
