import Foundation
import JustPersist
import Synchronization
import Workload

/// Those who write and wait for it.
extension Activity {
    static let transfers = threads("write", 4) { worker in
        while worker.goesOn() {
            let transfer = Transfer.random(&worker.random)
            try worker.store.write { db in try transfer.run(db) }
            worker.pause(milliseconds: 2)
        }
    }

    /// Accounts that are opened with another's money, and closed again.
    static let passingAccounts = threads("create and delete", 2) { worker in
        while worker.goesOn() {
            let number = worker.random.int(in: Account.passingNumbers)
            let partner = worker.random.int(in: Account.numbers)
            let branch = worker.random.int(in: Account.branches)
            let hasOpened = try worker.store.write { db in
                guard let other = try db.first(Account.self, where: \.number == partner) else {
                    throw Violation("account \(partner) is not there")
                }
                if let account = try db.first(Account.self, where: \.number == number) {
                    other.balance += account.balance
                    try db.delete(account)
                    return false
                }
                let account = try db.create(Account.self)
                account.number = number
                account.branch = branch
                account.balance = 50
                other.balance -= 50
                return true
            }
            worker.note(hasOpened ? "opened" : "closed")
            worker.pause(milliseconds: 6)
        }
    }

    /// Blocks that throw, or break a rule, after they have changed much.
    static let regrets = threads("blocks that throw", 2) { worker in
        while worker.goesOn() {
            let transfer = Transfer.random(&worker.random)
            let breaksRule = worker.random.int(in: 0..<3) == 0
            let isQueued = worker.random.int(in: 0..<2) == 0
            let block: @Sendable (borrowing DataStoreWriter) throws -> Void = { db in
                // A type that no block has ever committed.
                try db.declare(ItemSchema("Ghost", attributes: [AttributeSchema("number")]))
                try db.create("Ghost")["number"] = .int(1)
                try db.first(Account.self, where: \.number == transfer.from)?.balance += 7
                if !breaksRule { throw Regret() }
                let twin = try db.create(Account.self)
                twin.number = transfer.to
                twin.balance = 1
            }
            let outcome = Guarded<Result<Void, any Error>?>(nil)
            if isQueued {
                worker.store.writeAsync(block) { result in outcome.with { $0 = result } }
                outcome.wait { $0 != nil }
            } else {
                outcome.with { outcome in
                    outcome = Result { try worker.store.write { db in try block(db) } }
                }
            }
            do {
                try outcome.with { $0 }?.get()
                throw Violation("a block that failed has returned")
            } catch is Regret {
                try require(!breaksRule, "a block threw what it does not throw")
                worker.note("thrown")
            } catch let error as DataStoreError where error.code == .uniqueViolation {
                try require(breaksRule, "\(error)")
                worker.note("refused")
            }
            worker.pause(milliseconds: 8)
        }
    }

    static let upserts = threads("upsert", 3) { worker in
        while worker.goesOn() {
            let texts = (0..<3).map { _ in "word \(worker.random.int(in: 0..<Word.most))" }
            if worker.random.int(in: 0..<6) == 0 {
                let lost = try worker.store.write { db in
                    guard let word = try db.first(Word.self, where: \.text == texts[0]) else {
                        return 0
                    }
                    defer { worker.note("deleted") }
                    let uses = word.uses
                    try db.delete(word)
                    return uses
                }
                worker.stage.ledger.uses.subtract(lost, ordering: .relaxed)
            } else {
                try worker.store.write { db in
                    for word in try db.upsert(Word.self, \.text, values: texts) { word.uses += 1 }
                }
                worker.stage.ledger.uses.add(texts.count, ordering: .relaxed)
            }
            worker.pause(milliseconds: 4)
        }
    }
}
