import JustPersist

/// An account.
///
/// Money only moves between accounts, so the sum of the balances is the same in every snapshot.
final class Account: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Account",
        attributes: [
            AttributeSchema("number", kinds: [.int], isUnique: true, keyPath: \Account.number),
            AttributeSchema("branch", kinds: [.int], isIndexed: true, keyPath: \Account.branch),
            AttributeSchema("balance", kinds: [.int], keyPath: \Account.balance),
            AttributeSchema("stamp", kinds: [.int]),
        ])

    /// The accounts that are always there; those with higher numbers come and go.
    static let numbers = 0..<48
    static let passingNumbers = 1000..<1032
    static let branches = 0..<6
    static let openingBalance = 1000
    static let total = numbers.count * openingBalance

    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }

    var number: Int {
        get { attribute(at: 0, default: -1) }
        set { setAttribute(newValue, at: 0) }
    }
    var branch: Int {
        get { attribute(at: 1, default: -1) }
        set { setAttribute(newValue, at: 1) }
    }
    /// Each change has a stamp of its own: a child and its parent that set the same balance are in conflict.
    var balance: Int {
        get { attribute(at: 2, default: 0) }
        set {
            setAttribute(newValue, at: 2)
            setAttribute(Int.random(in: 0...Int.max), at: 3)
        }
    }
}
