import Foundation
import JustPersist
import Workload

/// Those who take what the store tells, one after the other.
extension Activity {
    static let streams = tasks("values", 2) { worker in
        while worker.goesOn() {
            var sum = 0
            for try await balance in worker.store.values(of: Account.self, { $0.balance }) {
                sum += balance
            }
            try require(sum == Account.total, "the streamed balances come to \(sum)")
            await worker.rest(milliseconds: 150)
        }
    }

    /// Loops over very many items that are left early, or cancelled.
    static let brokenOffStreams = tasks("values, broken off", 2) { worker in
        let store = worker.store
        while worker.goesOn() {
            let most = worker.random.int(in: 1..<2000)
            let task = Task {
                var count = 0
                for try await _ in store.values(of: Grain.self, { $0.number }) {
                    count += 1
                    if count == most { break }
                }
                return count
            }
            if worker.random.int(in: 0..<2) == 0 {
                await worker.rest(milliseconds: 20)
                task.cancel()
            }
            do {
                let count = try await task.value
                try require(count == most, "\(count) values of \(most)")
                worker.note("left")
            } catch is CancellationError {
                worker.note("cancelled")
            }
            await worker.rest(milliseconds: 200)
        }
    }

    /// Changes that are applied to a copy, by slow and by quick consumers; it equals the store in the end, and goes on
    /// where it was when the store is opened again.
    static let copies = tasks("changes to a copy", 3, end: .behindTheLastChange) { worker in
        let store = worker.store
        var copy = worker.stage.ledger.copies.with { $0[worker.number] } ?? StoreCopy()
        if copy.token != nil { worker.note("resumed") }
        for await change in store.changes(since: copy.token) {
            worker.pulse.beat()
            if !change.isComplete { worker.note("incomplete") }
            let end = copy
            copy = try store.readSync { [end] db in
                var copy = end
                try copy.apply(change, db)
                return copy
            }
            if copy.has(.init(itemTypeKey: "Marker", id: worker.stage.marker)) { break }
            await worker.rest(milliseconds: [1, 40, 700][worker.number % 3])
        }
        let expected = try store.readSync { db in try StoreCopy(of: db) }
        if let difference = copy.difference(from: expected) {
            throw Violation("copy \(worker.number) is not the store: \(difference)")
        }
        let last = copy
        worker.stage.ledger.copies.with { $0[worker.number] = last }
    }

    /// A list as a table shows it, kept up to date by the places that are told.
    static let results = tasks("results", 2, end: .whenCancelled) { worker in
        var list: [ItemID] = []
        let results = worker.store.results(
            of: Account.self, where: \.balance > 900, sortedBy: .descending(\.balance), limit: 25)
        do {
            for try await change in results {
                worker.pulse.beat()
                change.apply(to: &list) { $0 }
                try require(list == change.ids, "a list of results is not what its changes make")
                await worker.rest(milliseconds: [5, 200][worker.number % 2])
            }
        } catch is CancellationError {
            worker.note("cancelled")
        }
    }
}
