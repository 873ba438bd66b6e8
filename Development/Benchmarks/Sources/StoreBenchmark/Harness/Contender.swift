import Benchmark
import Foundation
import Synchronization

/// One side in a run: its directory, its prepared stores, and the timing of each operation on them.
final class Contender {
    let side: Side
    let workload: Workload
    private let directory: URL
    private var prepared: [String: any StoreUnderTest] = [:]

    init(side: Side, directory: URL, workload: Workload) {
        self.side = side
        self.directory = directory
        self.workload = workload
    }

    /// Performs an operation once and times it, without its preparation and clean-up.
    ///
    /// Returns the digest of what the side read, or nil if it has no such operation.
    func perform(_ operation: Operation, round: Int, _ clock: inout BenchmarkState) throws -> Int? {
        if operation.isAboutChanges, !side.hasChangeStreams { return nil }
        if [.create, .createIndexed, .createObserved].contains(operation) {
            return try create(operation, &clock)
        }
        let store = try store(for: operation)
        if operation == .commitObserved { try store.observe() }
        let names =
            operation == .find
            ? workload.foundNames : operation == .upsert ? workload.distinctNames : []
        var digest: Int?
        clock.start()
        switch operation {
        case .fetchByID: digest = try store.fetchByID(workload.shuffled[...])
        case .fetchByIDAlone: digest = try store.fetchByIDAlone(workload.shuffledAlone)
        case .fetchByIDThreads: digest = try fetchByIDInTwoThreads(from: store)
        case .fetchByIDBesideWriter:
            digest = try store.fetchByIDAlone(
                workload.shuffledAlone, threads: 4, beside: workload.commits[round])
            try clock.end()
            return digest
        case .fetchByIDs:
            for list in workload.lists {
                guard let found = try store.fetchByIDs(list) else { return nil }
                digest = (digest ?? 0) &+ found
            }
        case .newest:
            digest = try (0..<workload.pages).reduce(0) { sum, _ in
                try sum &+ store.newest(workload.pageSize)
            }
        case .fetchAll: digest = try store.fetchAll(reading: true)
        case .fetchAllUntouched: digest = try store.fetchAll(reading: false)
        case .count, .countText, .countIn, .countBetween, .countOr, .countContains:
            digest = try workload.filter(of: operation).map(store.count)
        case .group: digest = try store.group()
        case .sort: digest = try store.best(workload.pageSize)
        case .index: digest = try store.fetchByIndex(borough: workload.borough)
        case .find: digest = try store.find(names: names)
        case .sortIndexed:
            for _ in 0..<workload.ranked { digest = try store.bestByIndex(workload.pageSize) }
        case .update: try store.updateAll()
        case .upsert: if try !store.upsertAll(names: names) { return nil }
        case .commit, .commitObserved, .commitLogged:
            try store.commitEach(workload.commits[round])
        case .commitQueued:
            if try !store.commitQueued(workload.queuedCommits[round]) { return nil }
        case .commitThreads:
            if try !store.commitEach(workload.commits[round], threads: 8) { return nil }
        case .deleteEach: try store.deleteEach(workload.shuffled)
        case .delete: try store.deleteAll()
        case .create, .createIndexed, .createObserved, .memory: break
        }
        try clock.end()
        if operation.onlyReads { return digest }
        let contents = try store.contents()
        if operation == .delete || operation == .deleteEach {
            try store.create(workload.restaurants.map(NewItem.restaurant))
        }
        try store.reopen()
        return contents
    }

    private func create(
        _ operation: Operation, _ clock: inout BenchmarkState
    ) throws -> Int {
        let place = try makePlace("created")
        defer { try? FileManager.default.removeItem(at: place) }
        let store = try side.open(place, operation.indexing)
        if operation == .createObserved { try store.observe() }
        clock.start()
        try store.create(workload.items)
        try clock.end()
        let contents = try store.contents()
        try store.close()
        return contents
    }

    private func fetchByIDInTwoThreads(from store: any StoreUnderTest) throws -> Int {
        let positions = workload.shuffledAlone
        let half = positions.count / 2
        let halves = [positions.prefix(half), positions.dropFirst(half)]
        // Safe: both threads only read, and the store has no other user before they have ended.
        nonisolated(unsafe) let store = store
        let results = Mutex<[Result<Int, any Error>]>([])
        DispatchQueue.concurrentPerform(iterations: halves.count) { number in
            let result = Result { try store.fetchByIDAlone(halves[number]) }
            results.withLock { $0.append(result) }
        }
        return try results.withLock { try $0.reduce(0) { try $0 &+ $1.get() } }
    }

    /// The filled store for an operation: one for all operations that only read, and one for each that writes.
    private func store(for operation: Operation) throws -> any StoreUnderTest {
        let indexing = operation.indexing
        let name =
            !operation.onlyReads
            ? operation.rawValue : indexing == .none ? "filled" : indexing.rawValue
        if let store = prepared[name] { return store }
        let store = try side.open(makePlace(name), indexing)
        try store.create(indexing == .uniqueName ? workload.distinctItems : workload.items)
        try store.reopen()
        prepared[name] = store
        return store
    }

    private func makePlace(_ name: String) throws -> URL {
        let place = directory.appending(path: name)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        return place
    }

    /// Closes the filled store and measures it in a separate process; nil if that is not possible.
    func measureMemory() throws -> MemoryUse? {
        guard side.persists else { return nil }
        _ = try store(for: .memory)
        try close()
        return try MemoryUse.measure(
            side, at: makePlace("filled"), data: workload.encodedBytes)
    }

    /// Closes and deletes the store of an operation that writes.
    func finish(_ operation: Operation) throws {
        guard !operation.onlyReads, let store = prepared.removeValue(forKey: operation.rawValue)
        else { return }
        try store.close()
        try FileManager.default.removeItem(at: makePlace(operation.rawValue))
    }

    func close() throws {
        for store in prepared.values { try store.close() }
        prepared = [:]
    }
}
