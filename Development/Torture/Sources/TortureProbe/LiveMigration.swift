import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistMigration
import Workload

/// A store that is written to while it is migrated, and the judgement of what a kill has left of it.
///
/// Both stores keep a log. Closing saves a place in it; what comes after that place is what a restart has to follow.
struct LiveMigration {
    private enum Step {
        case fill
        case create(Int)
        case update(Int)
        case delete(Int)
        case reopen, cutOver, goBack
    }

    private static let type = ItemType(dynamic: "Letter")
    /// The numbers of the items that are there before the migration.
    private static let filled = 1_000..<1_040

    private let old: any DataStore
    private let new: any DataStore
    private let store: MigratingDataStore
    private let acknowledgements: AcknowledgementFile
    private let steps: [Step]

    init(_ arguments: Arguments) throws {
        let log = ChangeLogLength(commits: 10_000)
        old = try arguments.store("store", changeLog: log)
        new = try arguments.store("target", changeLog: log)
        store = MigratingDataStore(
            from: old, to: new, recordedIn: URL(filePath: try arguments.text("record")))
        acknowledgements = try AcknowledgementFile(try arguments.text("acks"))
        steps = Self.steps(seed: try arguments.workload.seed)
    }

    /// The steps of a seed: one create in three is of an item that is deleted at once.
    private static func steps(seed: UInt64) -> [Step] {
        var random = SeededGenerator(seed: seed)
        var steps = [Step.fill]
        var living = Array(filled)
        var next = 0
        for turn in [Step.reopen, .cutOver, .reopen, .goBack, .reopen] {
            for _ in 0..<8 {
                switch random.int(in: 0..<6) {
                case 0, 1:
                    steps.append(.create(next))
                    living.append(next)
                    next += 1
                case 2, 3:
                    steps += [.create(next), .delete(next)]
                    next += 1
                case 4: steps.append(.update(random.pick(living)))
                default: steps.append(.delete(living.remove(at: random.int(in: living.indices))))
                }
            }
            steps.append(turn)
        }
        return steps
    }

    // MARK: Work

    /// Takes all steps.
    func run() throws {
        for (place, step) in steps.enumerated() {
            acknowledgements[place] = .begun
            try take(step, place)
            acknowledgements[place] = .acknowledged
        }
        try store.close()
    }

    private func take(_ step: Step, _ place: Int) throws {
        switch step {
        case .fill:
            try old.open()
            try old.write { db in
                try db.declare(
                    ItemSchema(
                        Self.type.key,
                        attributes: [
                            AttributeSchema("number", kinds: [.int], isUnique: true),
                            AttributeSchema("step", kinds: [.int]),
                        ]))
                for number in Self.filled { try create(number, place, db) }
            }
            try old.close()
            try store.open()
        case .create(let number): try store.write { db in try create(number, place, db) }
        case .update(let number):
            try store.write { db in try item(number, db)["step"] = .int(Int64(place)) }
        case .delete(let number):
            try store.write { db in _ = try db.performDelete(item(number, db)) }
        case .reopen:
            try store.waitUntilInStep()
            try store.close()
            try store.open()
        case .cutOver:
            try store.waitUntilInStep()
            try store.cutOver()
        case .goBack:
            try store.waitUntilInStep()
            try store.goBack()
        }
    }

    private func create(
        _ number: Int, _ place: Int, _ db: borrowing DataStoreWriter
    ) throws {
        let item = try db.create(Self.type.key)
        item["number"] = .int(Int64(number))
        item["step"] = .int(Int64(place))
    }

    private func item(_ number: Int, _ db: borrowing DataStoreWriter) throws -> DynamicItem {
        let request = DataStoreRequest(
            type: Self.type, predicate: try DataStorePredicate("number == %d", number))
        guard let item = try db.dynamicItems(request).first else {
            throw Arguments.Failure("there is no letter \(number)")
        }
        return item
    }

    // MARK: Judgement

    /// Goes on with the migration until both stores are in step, and compares them with each other and with the steps.
    func judge() throws {
        try store.open()
        try store.waitUntilInStep()
        let phase = store.status.phase
        try store.close()
        try old.open()
        try new.open()
        let summary = try StoreComparison(old, new).run { difference in
            Probe.fail(.wrongAnswer, "\(phase): \(difference)")
        }
        guard summary.isSame else { Probe.fail(.wrongAnswer, "\(phase): \(summary)") }
        for store in [old, new] {
            try check(store, phase)
            if let problem = try store.verify().problems.first {
                Probe.fail(.wrongAnswer, "\(phase): verify: \(problem)")
            }
            try store.close()
        }
        Probe.say("\(phase)")
    }

    private func check(_ store: any DataStore, _ phase: MigratingDataStore.Phase) throws {
        var found: [Int: Int] = [:]
        try store.read { db in
            for item in try db.dynamicItems(DataStoreRequest(itemTypeKey: Self.type.key)) {
                guard case .int(let number) = item["number"], case .int(let step) = item["step"]
                else { Probe.fail(.wrongAnswer, "\(phase): an item without its values") }
                found[Int(number)] = Int(step)
            }
        }
        var created: [Int: AcknowledgementFile.Fate] = [:]
        var deleted: [Int: AcknowledgementFile.Fate] = [:]
        var changed: [Int: Int] = [:]
        for (place, step) in steps.enumerated() {
            let fate = acknowledgements[place]
            switch step {
            case .fill: for number in Self.filled { created[number] = fate }
            case .create(let number): created[number] = fate
            case .update(let number): if fate == .acknowledged { changed[number] = place }
            case .delete(let number): deleted[number] = fate
            case .reopen, .cutOver, .goBack: break
            }
        }
        for (number, step) in found {
            switch created[number] {
            case .acknowledged, .begun: break
            default: Probe.fail(.wrongAnswer, "\(phase): letter \(number) was never written")
            }
            if deleted[number] == .acknowledged {
                Probe.fail(.wrongAnswer, "\(phase): letter \(number) has come back")
            }
            if let place = changed[number], step < place {
                Probe.fail(.wrongAnswer, "\(phase): letter \(number) has lost step \(place)")
            }
        }
        for (number, fate) in created where fate == .acknowledged && found[number] == nil {
            switch deleted[number] {
            case nil, .untried: Probe.fail(.wrongAnswer, "\(phase): letter \(number) is lost")
            default: break
            }
        }
    }
}
