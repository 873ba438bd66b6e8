/// The data and the arguments of every operation, the same for all sides.
struct Workload {
    let restaurants: [Restaurant]
    /// The places of all restaurants in order of creation, shuffled: the order of fetches by id.
    let shuffled: [Int]
    /// Further restaurants, for the commits of each round.
    let commits: [[Restaurant]]

    let borough = "Queens"
    let stars = 3
    let pageSize = 10

    init(items: Int, rounds: Int) {
        var generator = RestaurantGenerator(seed: 0x5EED)
        restaurants = (0..<items).map { _ in generator.next() }
        commits = (0..<rounds).map { _ in
            (0..<min(items, 1_000)).map { _ in generator.next() }
        }
        var random = SplitMix64(state: 0xCAFE)
        shuffled = Array(0..<items).shuffled(using: &random)
    }

    /// How many items one performance of an operation creates, reads, scans, changes or deletes.
    func items(of operation: Operation) -> Int {
        switch operation {
        case .index: restaurants.count { $0.borough == borough }
        case .commit: commits.first?.count ?? 0
        default: restaurants.count
        }
    }
}
