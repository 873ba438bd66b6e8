import JustPersist
import Synchronization

/// What a store must hold, by what its calls have returned.
final class Ledger: Sendable {
    /// The uses of words, less those of words that were deleted.
    let uses = Atomic(0)
    /// The copies that were made of the store's changes, by worker.
    let copies = Guarded<[Int: StoreCopy]>([:])

    /// Writes what has to be there; the store may be empty.
    func fill(_ store: any DataStore) throws {
        let isEmpty = try store.write { db in
            guard try db.count(Account.self) == 0 else { return false }
            for number in Account.numbers {
                let account = try db.create(Account.self)
                account.number = number
                account.branch = number % Account.branches.count
                account.balance = Account.openingBalance
            }
            for number in Page.numbers {
                let page = try db.create(Page.self)
                page.number = number
                page.right = 0
            }
            try db.declare(Word.schema)
            return true
        }
        guard isEmpty else { return }
        uses.store(0, ordering: .relaxed)
        try store.write { db in
            for number in 0..<Grain.heaps.count * Grain.perHeap {
                let grain = try db.create(Grain.self)
                grain.heap = number % Grain.heaps.count
                grain.number = number
            }
        }
    }

    /// Compares a store that nobody uses with what was written.
    func check(_ store: any DataStore) throws {
        try store.readSync { db in
            let uses = try db.sum(of: \Word.uses)
            let expected = self.uses.load(ordering: .relaxed)
            try require(uses == expected, "words have \(uses) uses, \(expected) were committed")
            try Bank.check(db)
        }
        let report = try store.verify()
        try require(report.problems.isEmpty, "verify: \(report.problems)")
    }
}
