/// The data and the arguments of every operation, equal for all sides.
struct Workload {
    /// Restaurants and inspections, alternately.
    let items: [NewItem]
    /// The restaurants alone, in order of creation.
    let restaurants: [Restaurant]
    /// The positions of all restaurants in order of creation, shuffled: the order of fetches by id.
    let shuffled: [Int]
    /// Further items of both types, for the commits of each round.
    let commits: [[NewItem]]
    /// The items for the queued commits, of which there are more because they take less time.
    let queuedCommits: [[NewItem]]

    /// The items, with a unique name for each restaurant.
    var distinctItems: [NewItem] {
        var number = 0
        return items.map { item in
            guard case .restaurant(var restaurant) = item else { return item }
            restaurant.name += " \(number)"
            number += 1
            return .restaurant(restaurant)
        }
    }

    let borough = "Queens"
    let pageSize = 10
    /// The number of requests for the newest page, each in its own transaction.
    let pages = 10
    /// The number of requests for the best page by an index: one takes too little time to be measured.
    let ranked = 500

    init(items count: Int, rounds: Int) {
        var generator = RestaurantGenerator(seed: 0x5EED)
        restaurants = (0..<count).map { _ in generator.next() }
        items = restaurants.flatMap { [.restaurant($0), .inspection(generator.nextInspection())] }
        commits = (0..<rounds).map { _ in
            (0..<min(count, 500)).flatMap { _ in
                [.restaurant(generator.next()), .inspection(generator.nextInspection())]
            }
        }
        queuedCommits = (0..<rounds).map { _ in
            (0..<min(count, 10_000)).flatMap { _ in
                [.restaurant(generator.next()), .inspection(generator.nextInspection())]
            }
        }
        var random = SplitMix64(state: 0xCAFE)
        shuffled = Array(0..<count).shuffled(using: &random)
    }

    /// The positions that are fetched in a transaction each: fewer, because that takes longer.
    var shuffledAlone: ArraySlice<Int> { shuffled.prefix(max(2, shuffled.count / 5)) }

    /// The positions that are fetched by lists of 1,000 ids, or of fewer in a small store.
    var lists: [ArraySlice<Int>] {
        let length = min(1_000, shuffled.count)
        return (0..<min(20, shuffled.count / length)).map {
            shuffled[$0 * length..<($0 + 1) * length]
        }
    }

    /// The names in ``distinctItems``, in the order of creation.
    var distinctNames: [String] {
        restaurants.enumerated().map { "\($1.name) \($0)" }
    }

    /// The names, in ``distinctItems``, of some restaurants, shuffled; their number depends only on the size of the
    /// store.
    var foundNames: [String] {
        shuffled.prefix(10_000).map { "\(restaurants[$0].name) \($0)" }
    }

    /// The filter of an operation; nil if it is not a filtered count.
    func filter(of operation: Operation) -> Filter? {
        switch operation {
        case .count: .borough(borough, andStarsAbove: 3)
        case .countText: .cuisine("Ελληνική")
        case .countIn: .zipcodes((0..<10).map { String(10_001 + 170 * $0) })
        case .countBetween: .rating(2...3)
        case .countOr: .boroughOr(borough, starsAbove: 3)
        case .countContains: .nameContains("garden")
        default: nil
        }
    }

    /// The number of items that one performance of an operation creates, reads, scans, changes or deletes.
    func items(of operation: Operation) -> Int {
        switch operation {
        case .create, .createIndexed, .createObserved: items.count
        case .fetchByIDAlone, .fetchByIDThreads: shuffledAlone.count
        case .fetchByIDBesideWriter: 4 * shuffledAlone.count
        case .fetchByIDs: lists.reduce(0) { $0 + $1.count }
        case .sortIndexed: ranked * restaurants.count
        case .newest: pages * min(pageSize, restaurants.count)
        case .find: min(10_000, restaurants.count)
        case .index: restaurants.count { $0.borough == borough }
        case .commit, .commitThreads, .commitObserved, .commitLogged: commits.first?.count ?? 0
        case .commitQueued: queuedCommits.first?.count ?? 0
        default: restaurants.count
        }
    }

    /// The bytes of all restaurants' attributes in a flat layout, without keys and without a store.
    var encodedBytes: Int { restaurants.reduce(0) { $0 + RawRecord.size(of: $1) } }
}
