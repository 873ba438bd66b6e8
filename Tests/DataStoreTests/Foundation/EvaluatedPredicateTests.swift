// swift-format-ignore-file: NeverForceUnwrap
// In a #Predicate it is an expression, which traps nowhere.

import Foundation
import JustPersist
import Testing

/// Conditions that are evaluated on items, in every place of a predicate and in every call.
@Suite struct EvaluatedPredicateTests {
    private static var vowels: Regex<Substring> { /[aeiou]{2}/ }

    /// Spots with these names; their stars count up from 0.
    private static func fill(
        _ store: any DataStore, _ names: [String] = ["Beau", "x", "Thai", "aou", "y"]
    ) throws {
        try store.write { db in
            for (index, name) in names.enumerated() {
                let spot = try db.create(Spot.self)
                spot.name = name
                spot.stars = index
                spot.nick = index % 2 == 0 ? name : nil
            }
        }
    }

    private static func names(
        _ db: borrowing some DataStoreReadAccessor & ~Copyable, _ predicate: Predicate<Spot>
    ) throws -> [String] {
        try db.items(Spot.self, where: predicate).map(\.name)
    }

    @Test(arguments: Backend.memoryAndReference) func inEveryPlace(_ backend: Backend) throws {
        let vowels = Self.vowels
        try backend.withStore { store in
            try Self.fill(store)
            try store.read { db in
                let all: [(Predicate<Spot>, [String])] = [
                    (#Predicate { $0.name.contains(vowels) }, ["Beau", "Thai", "aou"]),
                    (#Predicate { !$0.name.contains(vowels) }, ["x", "y"]),
                    (#Predicate { $0.stars > 0 && $0.name.contains(vowels) }, ["Thai", "aou"]),
                    (#Predicate { $0.name.contains(vowels) && $0.stars > 2 }, ["aou"]),
                    (
                        #Predicate { $0.stars == 1 || $0.name.contains(vowels) },
                        ["Beau", "x", "Thai", "aou"]
                    ),
                    (#Predicate { !($0.stars == 1 || $0.name.contains(vowels)) }, ["y"]),
                    (#Predicate { $0.nick!.contains(vowels) }, ["Beau", "Thai"]),
                    (#Predicate { !$0.nick!.contains(vowels) }, ["y"]),
                ]
                for (predicate, names) in all {
                    try #expect(Self.names(db, predicate) == names)
                    try #expect(db.count(Spot.self, where: predicate) == names.count)
                    try #expect(db.exists(Spot.self, where: predicate))
                    try #expect(db.first(Spot.self, where: predicate)?.name == names.first)
                    try #expect(
                        db.items(
                            Spot.self, where: predicate, sortedBy: .descending(\.stars), offset: 1,
                            limit: 1
                        ).map(\.name) == Array(names.reversed().dropFirst().prefix(1)))
                    var met: [String] = []
                    try db.forEach(Spot.self, where: predicate) { met.append($0.name) }
                    #expect(met == names)
                }
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference) func inWriteBlocks(_ backend: Backend) throws {
        let vowels = Self.vowels
        let sounding = #Predicate<Spot> { $0.stars < 9 && $0.name.contains(vowels) }
        try backend.withStore { store in
            try Self.fill(store)
            try store.write { db in
                // What is not committed yet counts.
                let x = try #require(try db.first(Spot.self, where: #Predicate { $0.name == "x" }))
                x.name = "eau"
                let new = try db.create(Spot.self)
                new.name = "ai"
                new.stars = 5
                try #expect(Self.names(db, sounding) == ["Beau", "eau", "Thai", "aou", "ai"])
                let found = try #require(
                    try db.first(
                        Spot.self, where: #Predicate { $0.name.contains(vowels) && $0.stars == 1 }))
                #expect(found === x)
                let updated = try db.update(Spot.self, where: sounding) { $0.stars += 7 }
                #expect(updated == 5)
                try #expect(Self.names(db, sounding) == ["Beau", "eau"])
                try #expect(db.delete(Spot.self, where: sounding) == 2)
                try #expect(db.count(Spot.self, where: sounding) == 0)
                try #expect(
                    Self.names(db, #Predicate { $0.name.contains(vowels) })
                        == ["Thai", "aou", "ai"])
            }
            try store.read { db in
                try #expect(
                    Self.names(db, #Predicate { $0.name.contains(vowels) })
                        == ["Thai", "aou", "ai"])
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func onItemsThatReferToOthers(_ backend: Backend) throws {
        let vowels = Self.vowels
        try backend.withStore { store in
            try Self.fill(store)
            try store.write { db in
                let spots = try db.items(Spot.self)
                for (index, spot) in spots.enumerated() {
                    spot.owner = spots[(index + 1) % spots.count].reference
                }
                let owner = spots[2].reference
                try #expect(
                    Self.names(
                        db, #Predicate { $0.owner == owner || $0.name.contains(vowels) })
                        == ["Beau", "x", "Thai", "aou"])
                // Swift code may follow them.
                let owned = DataStorePredicate.ItemEvaluation(Spot.self, "the owner has stars") {
                    ($0.value(forKeyPath: "owner.stars") as? Int ?? 0) > 2
                }
                if backend != .reference {
                    try #expect(
                        db.items(Spot.self, where: .evaluated(owned)).map(\.name)
                            == ["Thai", "aou"])
                }
            }
        }
    }

    @Test func besideIndexes() throws {
        let vowels = Self.vowels
        try Backend.memory.withStore { store in
            try Self.fill(store, (0..<300).map { $0 % 2 == 0 ? "ai\($0)" : "x" })
            try store.read { db in
                let predicate = #Predicate<Spot> {
                    $0.stars > 290 && $0.name.contains(vowels)
                }
                let plan = try db.explain(Spot.self, where: predicate)
                guard case .indexes(let uses) = plan.access else {
                    Issue.record("\(plan)")
                    return
                }
                #expect(uses.map(\.attributes) == [["stars"]])
                #expect(plan.recordsExamined == 9)
                #expect(plan.matched == 4)
                #expect(plan.evaluatedByFoundation == 1)
                #expect(plan.description.hasSuffix("1 part evaluated by Foundation on each item"))
                // The beginning of a text is found in an index, too.
                let start = try db.explain(
                    Spot.self, where: #Predicate { $0.name.starts(with: "ai29") && $0.stars < 1000 }
                )
                #expect(start.description.contains("index on name"), "\(start)")
                #expect(start.evaluatedByFoundation == 0)
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference) func errorsNameThePredicateAndTheItem(
        _ backend: Backend
    ) throws {
        struct Unlucky: Error {}
        try backend.withStore { store in
            try Self.fill(store)
            let evaluation = DataStorePredicate.ItemEvaluation(Spot.self, "is lucky") { spot in
                if spot.stars == 3 { throw Unlucky() }
                return true
            }
            try store.read { db in
                let unlucky = try #require(
                    try db.first(Spot.self, where: #Predicate { $0.stars == 3 }))
                let error = expectError(.invalidPredicate) {
                    _ = try db.items(Spot.self, where: .evaluated(evaluation))
                }
                for part in ["is lucky", "Spot", "\(unlucky.uniqueToken)", "Unlucky"] {
                    #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
                }
                // It is not evaluated on what the other parts leave out.
                let others = try .evaluated(evaluation) && DataStorePredicate("stars != 3")
                try #expect(
                    db.count(
                        Spot.self, where: DataStorePredicate("stars != 3") && .evaluated(evaluation)
                    ) == 4)
                expectError(.invalidPredicate) { _ = try db.count(Spot.self, where: others) }
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference) func aboutAnotherType(_ backend: Backend) throws {
        try backend.withStore { store in
            try Self.fill(store)
            try store.fill(["a"])
            let predicate = DataStorePredicate.evaluated(
                .init(Spot.self, "all") { _ in true })
            try store.read { db in
                // Items without a class are given as those of the class.
                let dynamic = DataStoreRequest(itemTypeKey: "Spot")
                dynamic.predicate = predicate
                try #expect(db.count(dynamic) == 5)
                expectError(.invalidRequest) {
                    _ = try db.count(Restaurant.self, where: predicate)
                }
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference) func conditionsOfOneClassCombine(
        _ backend: Backend
    ) throws {
        try backend.withStore { store in
            try Self.fill(store, ["Café", "cafe noir", "Bar", "CAFÉ", "ünder"])
            let all: DataStorePredicate.Options = [.caseInsensitive, .diacriticInsensitive]
            let few = #Predicate<Spot> { $0.stars < 2 }
            func names(_ condition: some ItemCondition<Spot>) throws -> [String] {
                try store.read { db in try db.items(Spot.self, where: condition).map(\.name) }
            }
            try #expect(names(few && (\Spot.name).contains("CAFE", all)) == ["Café", "cafe noir"])
            try #expect(names((\Spot.name).contains("CAFE", all) && !few) == ["CAFÉ"])
            try #expect(names(few || \Spot.name == "Bar") == ["Café", "cafe noir", "Bar"])
            try #expect(names(few && #Predicate<Spot> { $0.stars > 0 }) == ["cafe noir"])
            try #expect(names(!few && !(\Spot.stars > 3)) == ["Bar", "CAFÉ"])
            try #expect(names(ItemPredicate(few)) == ["Café", "cafe noir"])
            // What has no answer matches neither.
            let unwrapped = #Predicate<Spot> { $0.nick! == "Bar" }
            try #expect(names(unwrapped) == ["Bar"])
            try #expect(names(!unwrapped) == ["Café", "ünder"])

            let name = \Spot.name
            try #expect(names(name.equals("cafe", all)) == ["Café", "CAFÉ"])
            try #expect(
                names(name.isIn(["CAFÉ", "bar"], .caseInsensitive)) == ["Café", "Bar", "CAFÉ"])
            try #expect(names(name.isLike("caf?*", all)) == ["Café", "cafe noir", "CAFÉ"])
            try #expect(names(name.matches("[a-c].*", .caseInsensitive)).count == 4)
            try #expect(names(name.compares(.less, "C", .caseInsensitive)) == ["Bar"])
            try #expect(names((\Spot.nick).equals("bar", .caseInsensitive)) == ["Bar"])
            try store.write { db in
                try db.update(Spot.self, where: few) { $0.tags = ["Été"] }
            }
            try #expect(names((\Spot.tags).contains("ete", all)) == ["Café", "cafe noir"])
        }
    }
}
