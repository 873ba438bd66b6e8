import JustPersist
import JustPersistSimulation

/// An item of the scenarios.
final class Entry: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Entry",
        attributes: [
            AttributeSchema("name", kinds: [.string], isIndexed: true, keyPath: \Entry.name),
            AttributeSchema("value", kinds: [.int], keyPath: \Entry.value),
        ])

    let backing: any ItemBacking

    init(backing: any ItemBacking) { self.backing = backing }

    var name: String? {
        get { optionalAttribute(at: 0) }
        set { setOptionalAttribute(newValue, at: 0) }
    }

    var value: Int? {
        get { optionalAttribute(at: 1) }
        set { setOptionalAttribute(newValue, at: 1) }
    }
}

extension DataStoreReadAccessor where Self: ~Copyable {
    /// The values of all entries, by name.
    func entries() throws -> [String: Int] {
        var entries: [String: Int] = [:]
        for entry in try items(Entry.self) {
            guard let name = entry.name, let value = entry.value else {
                throw SimulationFailure("An entry lacks a value.")
            }
            guard entries.updateValue(value, forKey: name) == nil else {
                throw SimulationFailure("There are two entries with the name “\(name)”.")
            }
        }
        return entries
    }
}

extension DataStoreReadWriteAccessor where Self: ~Copyable {
    /// Sets the value of an entry, which is created if necessary; `nil` deletes it.
    func set(_ name: String, _ value: Int?) throws {
        let known = try items(Entry.self).first { $0.name == name }
        if let value {
            let entry = try known ?? create(Entry.self)
            entry.name = name
            entry.value = value
        } else if let known {
            try delete(known)
        }
    }
}

/// A variable that the threads of a simulation share.
// Sendable because only one thread of a simulation runs at a time.
final class Shared<Value>: @unchecked Sendable {
    var value: Value

    init(_ value: Value) { self.value = value }
}

/// The possible contents of a store, by the results of its calls.
// Sendable because only one thread of a simulation runs at a time.
final class Ledger: @unchecked Sendable {
    private let simulation: Simulation
    /// The values that an entry may have; several if the outcome of a block is unknown.
    private var possible: [String: Set<Int?>] = [:]

    init(_ simulation: Simulation) { self.simulation = simulation }

    /// Runs a block that sets the value of an entry, and notes the possible results.
    ///
    /// An error of the disk is not a failure.
    func write(_ name: String, _ value: Int?, _ body: () throws -> Void) throws {
        let before = begin(name, value)
        do {
            try body()
            end(name, value, before, error: nil)
        } catch {
            end(name, value, before, error: error)
            try simulation.passingRefusals { throw error }
        }
    }

    func begin(_ name: String, _ value: Int?) -> Set<Int?> {
        let before = possible[name] ?? [nil]
        possible[name] = before.union([value])
        return before
    }

    func end(_ name: String, _ value: Int?, _ before: Set<Int?>, error: (any Error)?) {
        guard simulation.isAlive else { return }
        possible[name] = error == nil ? [value] : before
    }

    /// Throws unless the contents of a store are possible.
    ///
    /// From then on, only these contents are possible.
    func check(_ found: [String: Int], _ place: String) throws {
        for (name, values) in possible.sorted(by: { $0.key < $1.key }) {
            let value = found[name]
            guard values.contains(value) else {
                throw SimulationFailure(
                    "\(place): “\(name)” is \(value.text), and not \(values.map(\.text).sorted())")
            }
            possible[name] = [value]
        }
        for name in found.keys.sorted() where possible[name] == nil {
            throw SimulationFailure("\(place): no block has made “\(name)”")
        }
    }
}

extension Optional<Int> {
    fileprivate var text: String { map { "\($0)" } ?? "nothing" }
}

extension Simulation {
    /// Opens a store in a process, runs `body`, and closes the store.
    ///
    /// The process may die, and the disk may fail.
    func useStore(
        _ make: @escaping StoreMaker, log: ChangeLogLength? = nil,
        _ body: @escaping @Sendable (any DataStore) throws -> Void
    ) throws {
        try process("app") { [self] in
            let store = make(disk(), log)
            try passingRefusals {
                try store.open()
                defer { try? store.close() }
                try body(store)
            }
        }
    }

    /// Runs `body`, and ignores errors of the disk and crashes.
    func passingRefusals(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as DataStoreError
            where [.storageFailure, .storageFull].contains(error.code) || !isAlive
        {
            note("refused: \(error.code.rawValue)")
        } catch  where !isAlive {
        }
    }
}
