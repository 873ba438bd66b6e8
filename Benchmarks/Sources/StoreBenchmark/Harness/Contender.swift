import Benchmark
import Foundation

/// One side in a run: its directory, its prepared stores, and how each operation is timed on them.
final class Contender {
    let side: Side
    let directory: URL
    private let workload: Workload
    private var prepared: [Bool: any StoreUnderTest] = [:]

    init(side: Side, directory: URL, workload: Workload) throws {
        self.side = side
        self.directory = directory
        self.workload = workload
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    /// Performs an operation once and times it alone, without what prepares it and clears up.
    ///
    /// Returns the digest of what the side saw, or nil if it has no such operation.
    func perform(_ operation: Operation, round: Int, _ clock: inout BenchmarkState) throws -> Int? {
        if operation == .create { return try create(&clock) }
        let store = try store(indexed: operation == .index)
        var digest: Int?
        clock.start()
        switch operation {
        case .fetchByID: digest = try store.fetchByID(workload.shuffled)
        case .fetchAll: digest = try store.fetchAll(reading: true)
        case .fetchAllUntouched: digest = try store.fetchAll(reading: false)
        case .count:
            digest = try store.count(borough: workload.borough, starsAbove: workload.stars)
        case .sort: digest = try store.best(workload.pageSize)
        case .index: digest = try store.fetchByIndex(borough: workload.borough)
        case .update: digest = try store.updateAll()
        case .commit: try store.commitEach(workload.commits[round])
        case .delete: try store.deleteAll()
        case .create, .memory: break
        }
        try clock.end()
        switch operation {
        case .commit:
            try store.reopen()
            return try store.fetchAll(reading: false)
        case .delete:
            let left = try store.fetchAll(reading: false)
            try store.create(workload.restaurants)
            try store.reopen()
            return left
        case .update:
            try store.reopen()
            return digest
        default: return digest
        }
    }

    private func create(_ clock: inout BenchmarkState) throws -> Int {
        let place = directory.appending(path: "created")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        let store = try side.open(place, false)
        clock.start()
        try store.create(workload.restaurants)
        try clock.end()
        let digest = try store.fetchAll(reading: true)
        try store.close()
        return digest
    }

    /// The directory of the filled store, with an index or without.
    func place(indexed: Bool) -> URL {
        directory.appending(path: indexed ? "indexed" : "plain")
    }

    /// A store that holds all restaurants.
    @discardableResult
    func store(indexed: Bool) throws -> any StoreUnderTest {
        if let store = prepared[indexed] { return store }
        let place = place(indexed: indexed)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let store = try side.open(place, indexed)
        try store.create(workload.restaurants)
        try store.reopen()
        prepared[indexed] = store
        return store
    }

    /// Closes the filled store and measures it from a process of its own; nil if it cannot be.
    func measureMemory() throws -> MemoryUse? {
        guard side.persists else { return nil }
        try store(indexed: false)
        try close()
        return try MemoryUse.measure(side, at: place(indexed: false))
    }

    func close() throws {
        for store in prepared.values { try store.close() }
        prepared = [:]
    }
}
