import Foundation
import JustPersist
import Synchronization
import Workload

/// Those who change children, and merge them.
extension Activity {
    /// Transfers in a child, some of them in a child of that: merged as they are, or not at all.
    static let childTransfers = threads("children, grandchildren", 2) { worker in
        while worker.goesOn() {
            let child = try worker.store.makeChild()
            try child.open()
            for _ in 0..<worker.random.int(in: 1..<4) {
                let transfer = Transfer.random(&worker.random)
                if worker.random.int(in: 0..<3) == 0 {
                    let grandchild = try child.makeChild()
                    try grandchild.open()
                    try grandchild.write { db in try transfer.run(db) }
                    try grandchild.read { db in try Bank.checkIndexes(db) }
                    try child.writeSync { db in
                        try Transfer.random(&worker.random).run(db)
                    }
                    worker.note(
                        try merge(grandchild, into: child)
                            ? "grandchildren merged" : "grandchildren in conflict")
                    try grandchild.close()
                } else {
                    try child.write { db in try transfer.run(db) }
                }
                worker.pause(milliseconds: 2)
            }
            try child.read { db in try Bank.checkIndexes(db) }
            worker.note(
                try merge(child, into: worker.store) ? "children merged" : "children in conflict")
            // Some are let go open.
            if worker.random.int(in: 0..<4) > 0 { try child.close() }
            worker.pause(milliseconds: 6)
        }
    }

    /// Merges what must be merged whole; tells whether it could be.
    private static func merge(_ child: any DataStore, into parent: any DataStore) throws -> Bool {
        do {
            let report = try parent.merge(child, policy: .fail)
            try require(report.conflicts.isEmpty, "merged under fail: \(report.conflicts)")
            return true
        } catch let error as DataStoreError where error.code == .mergeConflict {
            try require(!error.conflicts.isEmpty, "a conflict that is not named")
            return false
        } catch let error as DataStoreError where error.code == .uniqueViolation {
            return false
        }
    }

    /// One child that threads write and read while it is merged again and again.
    static let sharedChildren = threads("shared children", 1) { worker in
        while worker.goesOn() {
            let child = try worker.store.makeChild()
            try child.open()
            let seed = worker.random.next()
            let threads = Companions(3) { number in
                var random = SeededGenerator(seed: seed, number)
                for _ in 0..<6 {
                    if number < 2 {
                        let transfer = Transfer.random(&random)
                        try child.write { db in try transfer.run(db) }
                    } else {
                        try child.read { db in try Bank.checkIndexes(db) }
                        usleep(20_000)
                    }
                }
            }
            var isSound = true
            while isSound, !threads.haveEnded {
                isSound = try merge(child, into: worker.store)
                worker.note(isSound ? "merged" : "in conflict")
                worker.pause(milliseconds: 30)
                worker.pulse.beat()
            }
            try threads.wait()
            if isSound {
                worker.note(
                    try merge(child, into: worker.store) ? "merged" : "in conflict")
            }
            try child.close()
            worker.pause(milliseconds: 10)
        }
    }

    /// Pages of which the child changes one side and the parent the other, under each policy.
    static let mergedPages = threads("merge policies", Page.numbers.count) { worker in
        let number = worker.number
        let store = worker.store
        var last = try leftSide(number, of: store)
        while worker.goesOn() {
            let next = last + 1
            let child = try store.makeChild()
            try child.open()
            let passing = try store.write { db in
                let page = try db.create(Page.self)
                page.number = 1000 + number
                return page.uniqueToken
            }
            try child.write { db in
                guard let page = try db.first(Page.self, where: \.number == number) else {
                    throw Violation("page \(number) is not there")
                }
                page.left = next
                page.contested = -next
                let isDeleted = try db.delete(Page.self, id: passing)
                try require(isDeleted, "a page is not in the child")
            }
            worker.pause(milliseconds: 4)
            var policy = worker.random.pick(MergePolicy.allCases)
            if policy == .fail, try !merge(child, into: store) {
                worker.note("fail: in conflict")
                let unchanged = try leftSide(number, of: store)
                try require(unchanged == last, "a merge that failed has changed a page")
                policy = .childWins
            }
            let report = try store.merge(child, policy: policy)
            worker.note("\(policy)\(report.conflicts.isEmpty ? "" : ": conflicts")")
            for conflict in report.conflicts {
                try require(
                    conflict.kind == .bothChanged && conflict.attribute == "contested",
                    "\(conflict)")
            }
            try store.read { db in
                let merged = try db.first(Page.self, where: \.number == number)?.left ?? -1
                try require(
                    merged == next, "page \(number) has \(merged) on its left, not \(next)")
                let count = try db.count(Page.self, where: \.number == 1000 + number)
                try require(count == 0, "a page that the child deleted is there")
            }
            try child.close()
            last = next
            worker.pause(milliseconds: 10)
        }
    }

    private static func leftSide(_ number: Int, of store: any DataStore) throws -> Int {
        try store.read { db in
            guard let page = try db.first(Page.self, where: \.number == number) else {
                throw Violation("page \(number) is not there")
            }
            return page.left
        }
    }

    static let pageWriters = threads("write pages", 1) { worker in
        while worker.goesOn() {
            let number = worker.random.int(in: Page.numbers)
            try worker.store.write { db in
                let page = try db.first(Page.self, where: \.number == number)
                page?.right += 1
                page?.contested += 1
            }
            worker.pause(milliseconds: 8)
        }
    }

    /// No merge takes back what the parent has written.
    static let pageReaders = threads("read pages", 1) { worker in
        var seen: [Int: Int] = [:]
        while worker.goesOn() {
            let before = seen
            seen = try worker.store.read { db in
                var now: [Int: Int] = [:]
                for page in try db.items(Page.self, where: \.number < 1000) {
                    now[page.number] = page.right
                    let old = before[page.number, default: 0]
                    try require(
                        page.right >= old,
                        "page \(page.number) goes back from \(old) to \(page.right)")
                    let count = try db.count(Page.self, where: \.right == page.right)
                    try require(count > 0, "the index does not have page \(page.number)")
                }
                try require(now.count == Page.numbers.count, "\(now.count) pages")
                return now
            }
            worker.pause(milliseconds: 100)
        }
    }

    /// Words that a child uses; another may have made them meanwhile, which unique words do not allow.
    static let childUpserts = threads("upsert in children", 1) { worker in
        while worker.goesOn() {
            let texts = (0..<2).map { _ in "word \(worker.random.int(in: 0..<Word.most))" }
            let child = try worker.store.makeChild()
            try child.open()
            try child.write { db in
                for word in try db.upsert(Word.self, \.text, values: texts) { word.uses += 1 }
            }
            worker.pause(milliseconds: 3)
            if try merge(child, into: worker.store) {
                worker.stage.ledger.uses.add(texts.count, ordering: .relaxed)
                worker.note("merged")
            } else {
                worker.note("in conflict")
            }
            try child.close()
            worker.pause(milliseconds: 8)
        }
    }
}
