import Foundation
import JustPersist
import Testing

/// Five releases of a program: whichever of them a store has seen, and wherever a run ended, the last one finds the same.
@Suite struct SchemaPathTests {
    struct Killed: Error {}

    private static let steps = [
        SchemaStep("2 name") { db in try db.renameAttribute("title", to: "name", of: "Hotel") },
        SchemaStep("3 stars") { db in
            try db.convert("stars", of: "Hotel", to: .int, onFailure: .keep(as: "starsText"))
        },
        SchemaStep.batched(
            "4 address", of: "Hotel",
            adding: [
                AttributeSchema("street", kinds: [.string]),
                AttributeSchema("visits", kinds: [.int], default: .int(0)),
            ], batchSize: 2
        ) { hotel in
            guard case .string(let address) = hotel["address"],
                case .int(let visits) = hotel["visits"]
            else { return }
            hotel["street"] = .string(String(address.prefix { $0 != "," }))
            hotel["visits"] = .int(visits + 1)
        },
        SchemaStep("5 no address") { db in
            try db.dropAttribute("address", of: "Hotel")
            try db.renameType("Hotel", to: "Inn")
        },
        SchemaStep.batched("5 visits", of: "Inn", batchSize: 3) { inn in
            guard case .int(let visits) = inn["visits"] else { return }
            inn["visits"] = .int(visits + 10)
        },
    ]

    /// The plan of a release, from 1.
    private static func plan(_ release: Int) -> SchemaPlan {
        SchemaPlan("app", release: "\(release)") {
            Array(steps.prefix(release == 5 ? 5 : release - 1))
        }
    }

    /// Two hotels, as a program of the release makes them.
    private static func fill(_ store: any DataStore, _ release: Int) throws {
        let key = release < 5 ? "Hotel" : "Inn"
        try store.write { db in
            try db.declare(
                ItemSchema(
                    key,
                    attributes: [
                        AttributeSchema(release < 2 ? "title" : "name", kinds: [.string]),
                        AttributeSchema("stars", kinds: [release < 3 ? .string : .int]),
                        release < 4
                            ? AttributeSchema("address", kinds: [.string])
                            : AttributeSchema("street", kinds: [.string]),
                    ]
                        + (release < 4
                            ? []
                            : [AttributeSchema("visits", kinds: [.int], default: .int(0))])))
            for number in 0..<2 {
                let hotel = try db.create(key)
                hotel[release < 2 ? "title" : "name"] = .string("\(release)")
                hotel["stars"] = release < 3 ? .string("\(number)") : .int(Int64(number))
                if release < 4 {
                    hotel["address"] = .string("Street \(release), City")
                } else {
                    hotel["street"] = .string("Street \(release)")
                    // The step of release 4 has passed.
                    hotel["visits"] = .int(release < 5 ? 1 : 11)
                }
            }
        }
    }

    private static func expect(
        _ store: any DataStore, _ releases: [Int], _ note: Comment
    ) throws {
        let found = try store.read { db in
            try db.dynamicItems(DataStoreRequest(itemTypeKey: "Inn")).map { try $0.values() }
        }
        let expected: [[String: DataStoreValue]] = releases.flatMap { release in
            (0..<2).map { number in
                [
                    "name": .string("\(release)"), "stars": .int(Int64(number)),
                    "street": .string("Street \(release)"), "visits": .int(11),
                ]
            }
        }
        #expect(found == expected, note)
        try #expect(store.schemaHistory().map(\.name) == steps.map(\.name), note)
        try #expect(store.read { db in try db.schemas().count } == 2, note)
    }

    /// Applies the plan of a release, and ends at a call of its progress; returns whether there was such a call.
    private static func apply(
        _ release: Int, to store: any DataStore, killedAt place: Int
    ) throws -> Bool {
        var calls = 0
        do {
            try store.apply(plan(release)) { _ in
                calls += 1
                if calls > place { throw Killed() }
            }
            return false
        } catch is Killed {
            return true
        }
    }

    @Test(arguments: [Backend.memory, .reference, .lmdb, .levelDB], 0..<16)
    func everyPathLeadsToTheSameStore(_ backend: Backend, _ path: Int) throws {
        let releases = [1] + (2...4).filter { path & 1 << ($0 - 2) != 0 } + [5]
        let hasFirst = path & 8 == 0
        let seen = hasFirst ? releases : Array(releases.dropFirst())
        var place = 0
        var isKilled = true
        // Ends each run at its first call, then at its second, and so on; then goes on to the end.
        while isKilled {
            isKilled = false
            try backend.withStore { store in
                for release in seen {
                    while try Self.apply(release, to: store, killedAt: place) {
                        isKilled = true
                        if backend.isPersistent {
                            try store.close()
                            try store.open()
                        }
                        try store.apply(Self.plan(release))
                    }
                    try Self.fill(store, release)
                }
                try Self.expect(store, seen, "releases \(seen), ended at \(place)")
            }
            place += 1
        }
        #expect(place > 1)
    }
}
