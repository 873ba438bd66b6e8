import Foundation
import JustPersist
import JustPersistPostgres
import Testing

/// Processes append to lists in one store, and the lists then show in which order each block has seen the others.
@Suite(.serialized, .enabled(if: Server.isThere, Server.notThere)) struct ProcessesTests {
    /// An entry of a list: which block has appended it, and how long it has seen its list and another one.
    private struct Entry {
        let block: Int64
        let place: Int64
        let otherList: Int64
        let otherLength: Int64

        static let size = 32

        var data: Data {
            [block, place, otherList, otherLength].reduce(into: Data()) { data, number in
                data += (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
            }
        }

        init(block: Int64, place: Int64, otherList: Int64, otherLength: Int64) {
            self.block = block
            self.place = place
            self.otherList = otherList
            self.otherLength = otherLength
        }

        init(_ data: Data) {
            let numbers = (0..<4).map { word in
                data.dropFirst(8 * word).prefix(8).reversed().reduce(Int64(0)) {
                    $0 << 8 | Int64($1)
                }
            }
            self.init(
                block: numbers[0], place: numbers[1], otherList: numbers[2], otherLength: numbers[3]
            )
        }
    }

    private static let isLong = ProcessInfo.processInfo.environment["JP_LONG"] == "1"
    /// Enough lists that none becomes long.
    private static let lists: Int64 = isLong ? 200 : 16
    private static let threads = 4
    private static let environment = "JP_TEST_APPEND"

    /// Appends from several threads; runs in a process of its own.
    private static func append() throws {
        let arguments = try #require(ProcessInfo.processInfo.environment[environment]).split(
            separator: " ")
        let (url, process, blocks) = try (
            String(arguments[0]), Int64(ProcessInfo.processInfo.processIdentifier),
            #require(Int(arguments[1]))
        )
        let store = try PostgresDataStore.open(url)
        let left = Locked(threads)
        let failures = Locked(0)
        for thread in 0..<threads {
            Thread {
                do {
                    for number in 0..<(blocks / threads) {
                        let block = process << 32 | Int64(thread) << 24 | Int64(number)
                        let list = Int64.random(in: 0..<lists)
                        let other = (list + .random(in: 1..<lists)) % lists
                        try store.write { db in
                            let (item, entries) = try Self.list(list, in: db)
                            let (_, others) = try Self.list(other, in: db)
                            let entry = Entry(
                                block: block, place: Int64(entries.count / Entry.size),
                                otherList: other,
                                otherLength: Int64(others.count / Entry.size))
                            item["entries"] = .data(entries + entry.data)
                        }
                    }
                } catch {
                    print(error)
                    failures.change { $0 += 1 }
                }
                left.change { $0 -= 1 }
            }.start()
        }
        left.wait { $0 == 0 ? () : nil }
        try store.close()
        try #require(failures.withLock { $0 } == 0)
    }

    private static func list(
        _ number: Int64, in db: borrowing DataStoreWriter
    ) throws -> (DynamicItem, Data) {
        let request = DataStoreRequest(itemTypeKey: "List")
        request.predicate = try DataStorePredicate("number == \(number)")
        let item = try #require(try db.dynamicItems(request).first)
        guard case .data(let entries) = item["entries"] else { return (item, Data()) }
        return (item, entries)
    }

    private static func makeLists(in store: PostgresDataStore) throws {
        try store.write { db in
            try db.declare(
                ItemSchema(
                    "List",
                    attributes: [
                        AttributeSchema("number", isUnique: true), AttributeSchema("entries"),
                    ]))
            for number in 0..<lists { try db.create("List")["number"] = .int(number) }
        }
    }

    private static func lists(in store: PostgresDataStore) throws -> [Int64: [Entry]] {
        try store.read { db in
            var lists: [Int64: [Entry]] = [:]
            for item in try db.dynamicItems(DataStoreRequest(itemTypeKey: "List")) {
                guard case .int(let number) = item["number"], case .data(let data) = item["entries"]
                else { continue }
                lists[number] = stride(from: 0, to: data.count, by: Entry.size).map {
                    Entry(data.dropFirst($0).prefix(Entry.size))
                }
            }
            return lists
        }
    }

    @Test(arguments: [2, 4]) func processesAppendInOneOrder(_ processes: Int) async throws {
        let url = try Server.newStore()
        let store = try PostgresDataStore.open(url)
        try Self.makeLists(in: store)
        let blocks = (Self.isLong ? 100_000 : 1_200) / processes
        unsafe setenv(Self.environment, "\(url) \(blocks)", 1)
        await withTaskGroup { group in
            for _ in 0..<processes {
                group.addTask {
                    await #expect(processExitsWith: .success) { try ProcessesTests.append() }
                }
            }
        }
        let lists = try Self.lists(in: store)
        let count = lists.values.reduce(0) { $0 + $1.count }
        let anomalies = Self.anomalies(lists)
        print("\(processes) processes appended \(count) entries: \(anomalies) anomalies")
        #expect(count == blocks / Self.threads * Self.threads * processes)
        #expect(anomalies == 0)
        try store.destroy()
    }

    /// A history in which two blocks have not seen each other is one in which no order explains them.
    @Test func aHistoryWithoutAnOrderIsFound() {
        func entry(_ block: Int64, _ place: Int64, _ list: Int64, _ length: Int64) -> Entry {
            Entry(block: block, place: place, otherList: list, otherLength: length)
        }
        #expect(Self.anomalies([0: [entry(1, 0, 1, 0)], 1: [entry(2, 0, 0, 1)]]) == 0)
        // Write skew: each has read the other list before the other's entry.
        #expect(Self.anomalies([0: [entry(1, 0, 1, 0)], 1: [entry(2, 0, 0, 0)]]) == 2)
        // A lost update: the second one has not seen the first.
        #expect(Self.anomalies([0: [entry(1, 0, 1, 0), entry(2, 0, 1, 0)], 1: []]) == 1)
        #expect(Self.anomalies([0: [entry(1, 0, 1, 0), entry(1, 1, 1, 0)], 1: []]) > 0)
    }

    /// The number of entries in a wrong place or stored twice, and of blocks that no order of all blocks explains.
    private static func anomalies(_ lists: [Int64: [Entry]]) -> Int {
        var (wrong, seen): (Int, Set<Int64>) = (0, [])
        /// For each block, those that come after it.
        var followers: [Int64: [Int64]] = [:]
        var predecessors: [Int64: Int] = [:]
        func order(_ first: Int64, _ second: Int64) {
            followers[first, default: []].append(second)
            predecessors[second, default: 0] += 1
        }
        for entries in lists.values {
            for (place, entry) in entries.enumerated() {
                if entry.place != Int64(place) || !seen.insert(entry.block).inserted { wrong += 1 }
                predecessors[entry.block, default: 0] += 0
                if place > 0 { order(entries[place - 1].block, entry.block) }
                let others = lists[entry.otherList] ?? []
                let length = Int(entry.otherLength)
                if length > others.count {
                    wrong += 1
                } else {
                    if length > 0 { order(others[length - 1].block, entry.block) }
                    if length < others.count { order(entry.block, others[length].block) }
                }
            }
        }
        var ready = predecessors.filter { $0.value == 0 }.map(\.key)
        var ordered = 0
        while let block = ready.popLast() {
            ordered += 1
            for other in followers[block] ?? [] {
                predecessors[other, default: 0] -= 1
                if predecessors[other] == 0 { ready.append(other) }
            }
        }
        return wrong + predecessors.count - ordered
    }
}
