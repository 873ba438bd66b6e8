import JustPersist
import Workload

/// Money that moves from one account to another.
struct Transfer: Sendable {
    let from: Int
    let to: Int
    let amount: Int
    /// The branch that the receiver moves to, if it does.
    let branch: Int?

    static func random(_ random: inout SeededGenerator) -> Transfer {
        let from = random.int(in: Account.numbers)
        let distance = random.int(in: 1..<Account.numbers.count)
        return Transfer(
            from: from, to: (from + distance) % Account.numbers.count,
            amount: random.int(in: 1..<100),
            branch: random.int(in: 0..<3) == 0 ? random.int(in: Account.branches) : nil)
    }

    func run(_ db: borrowing DataStoreWriter) throws {
        guard let giver = try db.first(Account.self, where: \.number == from),
            let taker = try db.first(Account.self, where: \.number == to)
        else { throw Violation("account \(from) or \(to) is not there") }
        giver.balance -= amount
        taker.balance += amount
        if let branch { taker.branch = branch }
    }
}
