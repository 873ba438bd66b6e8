import Foundation
import JustPersist
import Testing

/// `#Predicate`: what a store finds is what Foundation's own evaluation says of the same items.
@Suite struct FoundationTableTests {
    private static let seed = UInt64.random(in: 0 ... .max)

    /// For each predicate, the items for which it is true and those for which it is false; the rest has no answer.
    private static let answers: [(yes: [Int], no: [Int])] = {
        print("seed: \(seed)")
        var random = RandomSpots(seed: seed)
        let spots = random.spots(200)
        return FoundationTable.all.map { entry in
            var (yes, no): ([Int], [Int]) = ([], [])
            for spot in spots {
                switch try? entry.predicate.evaluate(spot) {
                case true: yes.append(spot.number)
                case false: no.append(spot.number)
                default: break
                }
            }
            return (yes, no)
        }
    }()

    private static func fill(_ store: any DataStore) throws {
        var random = RandomSpots(seed: seed)
        try store.write { db in
            for spot in random.spots(200) { try #require(db.insert(spot) == true) }
        }
    }

    @Test func findsWhatFoundationFinds() throws {
        try Backend.memory.withStore { store in
            try Self.fill(store)
            try store.read { db in
                for (entry, expected) in zip(FoundationTable.all, Self.answers) {
                    let predicate = try DataStorePredicate(entry.predicate)
                    let numbers = try db.items(Spot.self, where: predicate).map(\.number)
                    #expect(
                        numbers == expected.yes, "\(entry.place): \(predicate), seed \(Self.seed)")
                }
            }
        }
    }

    /// An item for which Foundation's evaluation throws matches neither a predicate nor its opposite.
    @Test func oppositesFindWhatIsFalse() throws {
        try Backend.memory.withStore { store in
            try Self.fill(store)
            try store.read { db in
                for (entry, expected) in zip(FoundationTable.all, Self.answers) {
                    let numbers = try db.items(Spot.self, where: !entry.predicate).map(\.number)
                    #expect(numbers == expected.no, "\(entry.place), seed \(Self.seed)")
                }
            }
        }
        #expect(Self.answers.contains { $0.yes.count + $0.no.count < 200 })
    }

    @Test func fewAreEvaluatedByFoundation() throws {
        #expect(FoundationTable.all.count >= 400)
        try Backend.memory.withStore { store in
            try Self.fill(store)
            try store.read { db in
                var translated = 0
                for entry in FoundationTable.all {
                    let predicate = try DataStorePredicate(entry.predicate)
                    let count = predicate.evaluations.count
                    #expect(count == entry.evaluated, "\(entry.place): \(predicate)")
                    let plan = try db.explain(Spot.self, where: predicate)
                    #expect(plan.evaluatedByFoundation == count, "\(entry.place)")
                    let parts = count == 1 ? "1 part" : "\(count) parts"
                    #expect(
                        plan.description.contains("\(parts) evaluated by Foundation")
                            == (count > 0))
                    if count == 0 {
                        translated += 1
                        // What no Foundation evaluates is data, and a format.
                        let data = try JSONEncoder().encode(predicate)
                        #expect(
                            try JSONDecoder().decode(DataStorePredicate.self, from: data)
                                == predicate, "\(entry.place)")
                        #expect(
                            try DataStorePredicate(predicate.description).description
                                == predicate.description, "\(entry.place): \(predicate)")
                    }
                }
                print("\(translated) of \(FoundationTable.all.count) translated")
                #expect(translated >= 350)
            }
        }
    }
}
