import Foundation

/// A store of one side, holding restaurants and inspections.
///
/// Every operation returns a digest of what it saw. All sides must return the same, so that none
/// is fast by doing less. An operation that returns nil is one the side does not have.
protocol StoreUnderTest: AnyObject {
    /// Stores all in their order, in one transaction. Deletes nothing.
    func create(_ items: [NewItem]) throws
    /// Fetches one by one within one transaction, `positions` counted among the restaurants in
    /// order of creation. The digest is of `name` and `stars`.
    func fetchByID(_ positions: ArraySlice<Int>) throws -> Int
    /// Fetches each in a transaction of its own. Called on several threads at once.
    func fetchByIDAlone(_ positions: ArraySlice<Int>) throws -> Int
    /// Fetches the restaurants that were made last, the last one first, by the order of the ids.
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
    /// Sets `stars` of each as ``updateAll()`` does, and finds each by its name, which is unique.
    func upsertAll(names: [String]) throws -> Bool
    /// Sets `stars` of each to `Restaurant.updated(stars:)` in one transaction.
    func updateAll() throws
    /// Stores each in a transaction of its own, durable before the next begins.
    func commitEach(_ items: [NewItem]) throws
    /// The same, but queues all of them without waiting, and returns when each is durable.
    func commitQueued(_ items: [NewItem]) throws -> Bool
    /// The same on several threads at once, each with a share of the items.
    func commitEach(_ items: [NewItem], threads: Int) throws -> Bool
    /// Fetches each in a transaction of its own on several threads at once, all of them on each, while another thread
    /// commits one item after the other.
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
    /// Begins to listen to what is committed, until the store is closed.
    func observe() throws
    /// Closes and opens the store, outside the timing: what it holds is then where a program that
    /// starts finds it, not in the buffers of the last write.
    func reopen() throws
    func close() throws
}

extension StoreUnderTest {
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

    /// What the store holds of both types, for the comparison after an operation that writes.
    func contents() throws -> Int {
        try fetchAll(reading: true) &* 31 &+ totalScore()
    }
}

/// A way to store restaurants, which takes part in the comparison under a name.
struct Side: Sendable {
    let name: String
    /// The versions of what is measured.
    let version: String
    /// Whether a store outlives its closing.
    var persists = true
    /// Whether it tells what is committed in it.
    var hasChangeStreams = false
    /// Opens the store in a directory that exists, with the indexes asked for.
    let open: @Sendable (_ directory: URL, _ indexing: Indexing) throws -> any StoreUnderTest
}

extension Restaurant {
    /// What the update writes: computed by the program from what it read.
    static func updated(stars: Int) -> Int { (stars + 1) % 6 }

    /// What an operation adds to its digest for each restaurant it reads.
    static func digest(name: String, stars: Int) -> Int { name.utf8.count &* 7 &+ stars }

    var digest: Int { Self.digest(name: name, stars: stars) }

    /// What grouping adds to its digest for each group.
    static func digest(borough: String, count: Int, averageStars: Double) -> Int {
        borough.utf8.count &* 7 &+ count &* 31 &+ Int((averageStars * 1_000).rounded())
    }
}
