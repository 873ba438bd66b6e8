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
                        ],
                        relationships: [
                            RelationshipSchema("question", to: Self.type.key),
                            RelationshipSchema(
                                "answers", to: Self.type.key, isToMany: true, inverse: "question"),
                            RelationshipSchema(
                                "seen", to: Self.type.key, isToMany: true, isOrdered: true,
                                inverse: "seenBy"),
                            RelationshipSchema("seenBy", to: Self.type.key, isToMany: true),
                        ]))
                for number in Self.filled { try create(number, place, db) }
            }
            try old.close()
            try store.open()
        case .create(let number): try store.write { db in try create(number, place, db) }
        case .update(let number):
            try store.write { db in
                let item = try item(number, db)
                item["step"] = .int(Int64(place))
                if let other = try find(Self.filledOne(place), db) {
                    ToMany<DynamicItem>(of: item, "seen").insert(other)
                }
            }
        case .delete(let number):
            try store.write { db in try db.delete(item(number, db)) }
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
        // Only new letters answer one.
        guard !Self.filled.contains(number) else { return }
        try item.setRelatedItem("question", to: try find(Self.filledOne(number), db))
    }

    /// The letter of those that were there before to which another one is related.
    private static func filledOne(_ number: Int) -> Int {
        filled.lowerBound + number % filled.count
    }

    private func item(_ number: Int, _ db: borrowing DataStoreWriter) throws -> DynamicItem {
        guard let item = try find(number, db) else {
            throw Arguments.Failure("there is no letter \(number)")
        }
        return item
    }

    private func find(_ number: Int, _ db: borrowing DataStoreWriter) throws -> DynamicItem? {
        let request = DataStoreRequest(
            type: Self.type, predicate: try DataStorePredicate("number == %d", number))
        return try db.dynamicItems(request).first
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
        var links: [String: [Int: [Int]]] = [:]
        try store.read { db in
            for item in try db.dynamicItems(DataStoreRequest(itemTypeKey: Self.type.key)) {
                guard case .int(let number) = item["number"], case .int(let step) = item["step"]
                else { Probe.fail(.wrongAnswer, "\(phase): an item without its values") }
                found[Int(number)] = Int(step)
                let question: DynamicItem? = item.related("question")
                for (name, others) in [
                    ("question", question.map { [$0] } ?? []),
                    ("answers", item.related(toMany: "answers").items),
                    ("seen", item.related(toMany: "seen").items),
                    ("seenBy", item.related(toMany: "seenBy").items),
                ] {
                    links[name, default: [:]][Int(number)] = others.map {
                        if case .int(let number) = $0["number"] { Int(number) } else { -1 }
                    }
                }
            }
        }
        checkLinks(links, Set(found.keys), phase)
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

    /// Compares both sides of the relationships of the letters that were found with the steps.
    ///
    /// The letters to which others are related were there from the beginning, so a link is missing only if one of its ends is.
    private func checkLinks(
        _ links: [String: [Int: [Int]]], _ found: Set<Int>, _ phase: MigratingDataStore.Phase
    ) {
        var seen: [Int: [(other: Int, isSure: Bool)]] = [:]
        for (place, step) in steps.enumerated() {
            guard case .update(let number) = step, acknowledgements[place] != .untried else {
                continue
            }
            let other = Self.filledOne(place)
            guard found.contains(other), found.contains(number) else { continue }
            if seen[number]?.contains(where: { $0.other == other }) == true { continue }
            seen[number, default: []].append((other, acknowledgements[place] == .acknowledged))
        }
        for number in found {
            let other = Self.filledOne(number)
            let question = found.contains(other) && !Self.filled.contains(number) ? [other] : []
            let all = seen[number] ?? []
            let possible = [all.map(\.other), all.filter(\.isSure).map(\.other)]
            guard links["question"]?[number] == question,
                let list = links["seen"]?[number], possible.contains(list)
            else {
                Probe.fail(
                    .wrongAnswer,
                    "\(phase): the links of letter \(number): \(links.mapValues { $0[number] })")
            }
        }
        for (one, other) in [("question", "answers"), ("seen", "seenBy")] {
            func pairs(_ name: String, _ isTurned: Bool) -> Set<[Int]> {
                Set(
                    (links[name] ?? [:]).flatMap { key, others in
                        others.map { isTurned ? [$0, key] : [key, $0] }
                    })
            }
            guard pairs(one, false) == pairs(other, true) else {
                Probe.fail(.wrongAnswer, "\(phase): the sides of \(one) and \(other) do not agree")
            }
        }
    }
}
