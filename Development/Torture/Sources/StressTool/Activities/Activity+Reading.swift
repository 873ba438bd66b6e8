import Foundation
import JustPersist
import Workload

/// Those who read, and compare the answers of one snapshot with each other.
extension Activity {
    static let readers = threads("read", 3) { worker in
        while worker.goesOn() {
            try worker.store.read { db in try Bank.check(db) }
            worker.pause(milliseconds: 100)
        }
    }

    /// Short blocks with one look-up each.
    static let indexReaders = threads("read by id", 2) { worker in
        let ids = try worker.store.read { db in
            try db.items(Account.self, where: \.number < Account.numbers.count).map(\.uniqueToken)
        }
        while worker.goesOn() {
            for _ in 0..<20 {
                let id = worker.random.pick(ids)
                let number = try worker.store.read { db in
                    try db.item(Account.self, id: id)?.number
                }
                try require(number != nil, "account \(id) is not there")
            }
            worker.pause(milliseconds: 40)
        }
    }

    static let taskReaders = tasks("await read, readSync", 4) { worker in
        while worker.goesOn() {
            if worker.random.int(in: 0..<2) == 0 {
                try await worker.store.read { db in try Bank.check(db) }
                worker.note("await read")
            } else {
                try worker.store.readSync { db in try Bank.check(db) }
                worker.note("readSync")
            }
            await worker.rest(milliseconds: 120)
        }
    }

    static let aggregates = threads("aggregates", 2) { worker in
        while worker.goesOn() {
            try worker.store.read { db in
                let sum = try db.sum(of: \Account.balance)
                try require(sum == Account.total, "sum(balance) is \(sum), not \(Account.total)")
                let rows = try db.groups(
                    of: Account.self, by: \.branch, computing: .sum(\.balance).named("sum"))
                var total = 0
                for row in rows {
                    guard case .int(let sum) = row["sum"] else {
                        throw Violation("a group has no sum: \(row)")
                    }
                    total += Int(sum)
                }
                try require(total == Account.total, "the groups come to \(total)")
                let least = try db.min(of: \Account.balance)
                let sorted = try db.items(Account.self, sortedBy: .ascending(\.balance))
                let balances = sorted.map(\.balance)
                try require(balances.first == least, "the least balance is not the first one")
                try require(balances == balances.sorted(), "balances are not in order")
            }
            worker.pause(milliseconds: 150)
        }
    }

    /// Blocks inside blocks.
    static let nesting = threads("nested blocks", 2) { worker in
        let store = worker.store
        while worker.goesOn() {
            let transfer = Transfer.random(&worker.random)
            if worker.random.int(in: 0..<2) == 0 {
                try store.read { outer in
                    let before = try outer.items(Account.self).map(\.balance)
                    try store.write { db in try transfer.run(db) }
                    try store.read { inner in try Bank.check(inner) }
                    let after = try outer.items(Account.self).map(\.balance)
                    try require(before == after, "a snapshot has moved")
                }
                worker.note("write in read")
            } else {
                try store.write { db in
                    try db.first(Account.self, where: \.number == transfer.from)?.balance -= 5
                    try store.read { inner in try Bank.check(inner) }
                    do {
                        try store.write { db in _ = try db.count(Account.self) }
                        throw Violation("a write in a write has run")
                    } catch let error as DataStoreError where error.code == .nestedWrite {}
                    try db.first(Account.self, where: \.number == transfer.to)?.balance += 5
                    let sum = try db.sum(of: \Account.balance)
                    try require(sum == Account.total, "a block’s own sum is \(sum)")
                }
                worker.note("read in write")
            }
            worker.pause(milliseconds: 80)
        }
    }

    static let verification = threads("verify", 1) { worker in
        while worker.goesOn() {
            let report = try worker.store.verify()
            try require(report.problems.isEmpty, "verify: \(report.problems)")
            worker.pause(milliseconds: 4000)
        }
    }
}
