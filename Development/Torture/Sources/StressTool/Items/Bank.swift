import JustPersist

/// What is so in every snapshot of the store.
enum Bank {
    static func check(_ db: borrowing DataStoreReader) throws {
        let accounts = try db.items(Account.self)
        let sum = accounts.reduce(0) { $0 + $1.balance }
        try require(sum == Account.total, "the balances come to \(sum), not \(Account.total)")
        let count = try db.count(Account.self)
        try require(count == accounts.count, "\(count) accounts counted, \(accounts.count) found")
        let ghosts = try db.count(DataStoreRequest(itemTypeKey: "Ghost"))
        try require(ghosts == 0, "\(ghosts) items of blocks that threw")
        try checkIndexes(db, accounts)
    }

    /// Queries by an index and a walk over all items must agree, in a child store too.
    static func checkIndexes(_ db: borrowing DataStoreReader) throws {
        try checkIndexes(db, try db.items(Account.self))
    }

    private static func checkIndexes(
        _ db: borrowing DataStoreReader, _ accounts: [Account]
    ) throws {
        for branch in Account.branches {
            let expected = accounts.filter { $0.branch == branch }.map(\.uniqueToken)
            let found = try db.items(Account.self, where: \.branch == branch).map(\.uniqueToken)
            try require(
                found == expected,
                "branch \(branch) has \(expected.count) accounts, its index \(found.count)")
            let count = try db.count(Account.self, where: \.branch == branch)
            try require(count == expected.count, "branch \(branch) is counted as \(count)")
        }
        try require(
            Set(accounts.map(\.number)).count == accounts.count, "an account number is there twice")
    }
}
