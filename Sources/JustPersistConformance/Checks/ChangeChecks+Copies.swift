import JustPersist

/// Checks of copies that are kept up to date with the changes that a store reports.
extension ChangeChecks {
    static func results(_ check: CheckContext) throws {
        var random = check.generator("results")
        let items = try NamedItems(in: check.openStore())
        let store = items.store
        try store.write { db in
            for number in 0..<30 { try items.create("\(number)", number % 7, db) }
        }
        let all = items.request(
            where: try DataStorePredicate("number > 1"), sortedBy: .descending("number"))
        let page = items.request(sortedBy: .ascending("name"), offset: 3, limit: 10)
        for request in [all, page] {
            let follower = Follower<[ItemID]>([])
            let task = Task {
                do {
                    for try await change in store.results(request) {
                        let problem = Self.problem(of: change, behind: follower.value)
                        var list = follower.value
                        change.apply(to: &list) { $0 }
                        follower.update(list, problem: list == change.ids ? problem : "wrong list")
                    }
                    follower.end(nil)
                } catch {
                    follower.end(error)
                }
            }
            follower.waitForFirst()
            for _ in 0..<40 {
                try change(items, &random)
                let wanted = try store.read { db in
                    try db.performFetch(request).map(\.uniqueToken)
                }
                try check.require(
                    follower.waits { $0 == wanted },
                    "the stream of results ended: \(ReadableText.of(follower.failure as Any))")
            }
            // An item in the list changes, and the list does not.
            let count = follower.count
            try store.write { db in
                try db.dynamicItems(request).first?["note"] = .string("changed")
            }
            check.expect(follower.hasMore(than: count), "a change of an item was not reported")
            check.expectEqual(follower.problems, [], "the errors in the positions of \(request)")
            task.cancel()
        }
    }

    /// The error in the positions that a change reports; `nil` if they transform the old list into the new one.
    private static func problem(of change: ResultChanges, behind list: [ItemID]) -> String? {
        let stayed = Set(list).intersection(change.ids)
        if change.deletions != list.indices.filter({ !stayed.contains(list[$0]) }) {
            return "the deletions are \(change.deletions)"
        }
        if change.insertions != change.ids.indices.filter({ !stayed.contains(change.ids[$0]) }) {
            return "the insertions are \(change.insertions)"
        }
        for move in change.moves
        where list[move.from] != move.id || change.ids[move.to] != move.id {
            return "the item \(move.id) moves from \(move.from) to \(move.to)"
        }
        for update in change.updates
        where list[update.before] != update.id || change.ids[update.after] != update.id {
            return "the item \(update.id) is at \(update.before), and then at \(update.after)"
        }
        return nil
    }

    /// Makes a random change, in one commit.
    private static func change(_ items: NamedItems, _ random: inout SeededGenerator) throws {
        let (kind, number, chance) = (
            random.int(in: 0..<4), random.int(in: 0..<9), random.int(in: 0..<1_000)
        )
        try items.store.write { db in
            let all = try items.items(db)
            let item = all.isEmpty ? nil : all[chance % all.count]
            switch kind {
            case 0: try items.create("\(chance)", number, db)
            case 1:
                if let item { _ = try db.performDelete(item) }
                try items.create("\(chance)", number, db)
            case 2: item?["name"] = .string("\(chance)")
            default: item?["number"] = .int(Int64(number))
            }
        }
    }

    static func copy(_ check: CheckContext) throws {
        var random = check.generator("copy")
        let items = try NamedItems(in: check.openStore())
        let store = items.store
        let type = ItemType(dynamic: items.key)
        let followers = try (0..<6).map { number in
            let follower = Follower<[ItemID: String]>([:])
            let observation = try store.observeChanges(
                number % 2 == 0 ? .everything : .types([type]), since: nil)
            let delays = (0..<32).map { _ in random.int(in: 0..<(1 + number * 4)) }
            Task {
                do {
                    var count = 0
                    while let set = await observation.next() {
                        var copy = follower.value
                        let changes = set[items.key]
                        if !set.isComplete || changes?.isComplete == false {
                            copy = try await store.read { db in try texts(of: nil, items, db) }
                        } else {
                            for id in changes?.deleted ?? [] { copy[id] = nil }
                            let ids = (changes?.inserted ?? []) + (changes?.updated.map(\.id) ?? [])
                            let read = try await store.read { db in try texts(of: ids, items, db) }
                            for id in ids { copy[id] = read[id] }
                        }
                        follower.update(copy, problem: nil)
                        try await Task.sleep(for: .milliseconds(delays[count % delays.count]))
                        count += 1
                    }
                    follower.end(nil)
                } catch {
                    follower.end(error)
                }
            }
            return follower
        }
        for _ in 0..<150 { try change(items, &random) }
        let end = try store.read { db in try texts(of: nil, items, db) }
        for (number, follower) in followers.enumerated() {
            check.tick()
            check.expect(
                follower.waits { $0 == end },
                "copy \(number) ended: \(ReadableText.of(follower.failure as Any))")
        }
    }

    /// The states of the given items that exist, or of all items, by id.
    private static func texts(
        of ids: [ItemID]?, _ items: NamedItems, _ db: borrowing DataStoreReader
    ) throws -> [ItemID: String] {
        var texts: [ItemID: String] = [:]
        let type = ItemType(dynamic: items.key)
        let found =
            try ids.map { ids in
                try ids.compactMap { try db.performFetchItem(type, id: $0) }
            } ?? db.performFetch(items.request())
        for item in found {
            guard let item = item as? DynamicItem else { continue }
            texts[item.uniqueToken] = "\(item.name) \(item.number)"
        }
        return texts
    }
}

/// A copy that a task keeps up to date.
private final class Follower<Value: Sendable>: Sendable {
    private let state: Locked<State>

    private struct State: Sendable {
        var value: Value
        var count = 0
        var problems: [String] = []
        var failure: (any Error)?
        var hasEnded = false
    }

    init(_ value: Value) { state = Locked(State(value: value)) }

    var value: Value { state.withLock { $0.value } }
    var count: Int { state.withLock { $0.count } }
    var problems: [String] { state.withLock { $0.problems } }
    var failure: (any Error)? { state.withLock { $0.failure } }

    func update(_ value: Value, problem: String?) {
        state.change { state in
            state.value = value
            state.count += 1
            if let problem { state.problems.append(problem) }
        }
    }

    func end(_ failure: (any Error)?) {
        state.change { state in
            state.failure = failure
            state.hasEnded = true
        }
    }

    /// Waits until the copy fulfils the condition.
    ///
    /// Returns false if it ended before.
    func waits(until isSo: (Value) -> Bool) -> Bool {
        state.wait { state in
            if isSo(state.value) { return true }
            return state.hasEnded ? false : nil
        }
    }

    func waitForFirst() { state.wait { $0.count > 0 || $0.hasEnded ? () : nil } }

    /// Waits for more than `count` updates.
    ///
    /// Returns false if the copy ended before.
    func hasMore(than count: Int) -> Bool {
        state.wait { state in
            if state.count > count { return true }
            return state.hasEnded ? false : nil
        }
    }
}
