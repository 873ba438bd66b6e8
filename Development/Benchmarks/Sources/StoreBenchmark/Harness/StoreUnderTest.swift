import Foundation

/// A store of one side, with restaurants and inspections.
///
/// Every operation returns a digest of what it read. All sides must return equal digests, so that none is fast because
/// it does less. An operation returns nil if the side does not have it.
protocol StoreUnderTest: AnyObject {
    /// Stores all in their order, in one transaction. Deletes nothing.
    func create(_ items: [NewItem]) throws
    /// Fetches one by one within one transaction. `positions` count the restaurants in order of creation. The digest
    /// is of `name` and `stars`.
    func fetchByID(_ positions: ArraySlice<Int>) throws -> Int
    /// Fetches each in its own transaction. Called on several threads concurrently.
    func fetchByIDAlone(_ positions: ArraySlice<Int>) throws -> Int
    /// Fetches all by a list of their ids, in one request and one transaction.
    func fetchByIDs(_ positions: ArraySlice<Int>) throws -> Int?
    /// Fetches the restaurants that were made last, in descending order of their ids.
    func newest(_ limit: Int) throws -> Int
    /// Fetches all as objects, and reads `name` and `stars` of each if asked to.
    func fetchAll(reading: Bool) throws -> Int
    /// Counts the restaurants that match, without an index.
    func count(_ filter: Filter) throws -> Int
    /// Counts the restaurants of each borough and averages their stars, without an index, in the order of the boroughs.
    func group() throws -> Int?
    /// Fetches the best rated, best first, without an index.
    func best(_ limit: Int) throws -> Int
    /// Fetches the restaurants of a borough by an index, and reads `name` and `stars` of each.
    func fetchByIndex(borough: String) throws -> Int?
    /// Finds the restaurant with each of these names, which are unique, by an index, all in one transaction.
    func find(names: [String]) throws -> Int?
    /// Fetches the best rated by an index, best first.
    func bestByIndex(_ limit: Int) throws -> Int?
    /// Sets `stars` of each as ``updateAll()`` does, but finds each by its unique name.
    func upsertAll(names: [String]) throws -> Bool
    /// Sets `stars` of each to `Restaurant.updated(stars:)` in one transaction.
    func updateAll() throws
    /// Stores each in its own transaction, durable before the next begins.
    func commitEach(_ items: [NewItem]) throws
    /// Stores each in its own transaction, queued without waiting, and returns when all are durable.
    func commitQueued(_ items: [NewItem]) throws -> Bool
    /// Stores each in its own transaction on several threads concurrently, each with a share of the items.
    func commitEach(_ items: [NewItem], threads: Int) throws -> Bool
    /// Fetches each in its own transaction on several threads concurrently, all items on each thread, while another
    /// thread commits one item after the other.
    func fetchByIDAlone(
        _ positions: ArraySlice<Int>, threads: Int, beside writes: [NewItem]
    ) throws -> Int?
    /// Deletes one by one by id within one transaction.
    func deleteEach(_ positions: [Int]) throws
    /// Deletes all restaurants and no inspection, in one transaction.
    func deleteAll() throws
    /// The sum of all inspections' scores.
    func totalScore() throws -> Int

    /// Fetches all as objects and calls `body` while every one of them is alive.
    func holdAll(while body: () -> Void) throws
    /// Begins to observe the commits, until the store is closed.
    func observe() throws
    /// Closes and opens the store, outside the timing, so that no side reads its own write buffer.
    func reopen() throws
    func close() throws
}

extension StoreUnderTest {
    func fetchByIDs(_ positions: ArraySlice<Int>) throws -> Int? { nil }
    func group() throws -> Int? { nil }
    func fetchByIndex(borough: String) throws -> Int? { nil }
    func find(names: [String]) throws -> Int? { nil }
    func bestByIndex(_ limit: Int) throws -> Int? { nil }
    func upsertAll(names: [String]) throws -> Bool { false }
    func commitQueued(_ items: [NewItem]) throws -> Bool { false }
    func commitEach(_ items: [NewItem], threads: Int) throws -> Bool { false }
    func fetchByIDAlone(
        _ positions: ArraySlice<Int>, threads: Int, beside writes: [NewItem]
    ) throws -> Int? { nil }
    func observe() throws {}

    /// A digest of the store's content of both types, for the comparison after an operation that writes.
    func contents() throws -> Int {
        try fetchAll(reading: true) &* 31 &+ totalScore()
    }
}

/// One implementation in the comparison, with its name.
struct Side: Sendable {
    let name: String
    /// The versions of the measured software.
    let version: String
    /// Whether the data of a store survives closing it.
    var persists = true
    /// Whether it has change streams.
    var hasChangeStreams = false
    /// Opens the store in an existing directory, with the given indexes.
    let open: @Sendable (_ directory: URL, _ indexing: Indexing) throws -> any StoreUnderTest
}

extension Restaurant {
    /// The value that the update writes, computed by the program from the value that it read.
    static func updated(stars: Int) -> Int { (stars + 1) % 6 }

    /// The contribution of each restaurant to the digest.
    static func digest(name: String, stars: Int) -> Int { name.utf8.count &* 7 &+ stars }

    var digest: Int { Self.digest(name: name, stars: stars) }

    /// The contribution of each group to the digest.
    static func digest(borough: String, count: Int, averageStars: Double) -> Int {
        borough.utf8.count &* 7 &+ count &* 31 &+ Int((averageStars * 1_000).rounded())
    }
}
