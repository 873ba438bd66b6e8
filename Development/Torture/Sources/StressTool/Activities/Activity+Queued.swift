import Foundation
import JustPersist
import Workload

/// Those who queue blocks.
extension Activity {
    /// Entries in order, many of them waiting; completions come in order too, behind what they complete.
    static let queuedEntries = threads("writeAsync", 3) { worker in
        let number = worker.number
        let store = worker.store
        let stage = worker.stage
        var next = try store.write { db in
            let journal = try db.upsert(Journal.self, \.writer, number)
            return journal.last + 1
        }
        // The last entry that was completed, and how many blocks wait.
        let progress = Guarded((last: next - 1, waiting: 0))
        while worker.goesOn() {
            for _ in 0..<worker.random.int(in: 1..<30) {
                let fails = worker.random.int(in: 0..<9) == 0
                let looks = worker.random.int(in: 0..<20) == 0
                let entry = next
                let transfer = Transfer.random(&worker.random)
                if !fails { next += 1 }
                progress.with { $0.waiting += 1 }
                store.writeAsync { db in
                    guard let journal = try db.first(Journal.self, where: \.writer == number)
                    else { throw Violation("the journal of writer \(number) is not there") }
                    try require(
                        journal.last == entry - 1,
                        "entry \(entry) of writer \(number) comes behind \(journal.last)")
                    journal.last = entry
                    try transfer.run(db)
                    if fails { throw Regret() }
                } completion: { (result: Result<Void, any Error>) in
                    var problem: String?
                    switch result {
                    case .success: if fails { problem = "a block that threw has succeeded" }
                    case .failure(let error):
                        if !(fails && error is Regret) { problem = "\(error)" }
                    }
                    // It looks like any other reader, on a thread of the store's.
                    if looks, problem == nil, !fails {
                        do {
                            let last = try store.readSync { db in
                                try db.first(Journal.self, where: \.writer == number)?.last ?? -1
                            }
                            if last < entry { problem = "entry \(entry) is completed, not \(last)" }
                        } catch {
                            problem = "a completion that reads: \(error)"
                        }
                    }
                    progress.with { progress in
                        if !fails, progress.last != entry - 1 {
                            problem = "entry \(entry) is completed behind \(progress.last)"
                        }
                        if !fails { progress.last = entry }
                        progress.waiting -= 1
                    }
                    // The worker may have ended.
                    if let problem { stage.fail("writeAsync", Violation(problem)) }
                }
                worker.pulse.beat()
            }
            progress.wait { $0.waiting < 60 }
            worker.pause(milliseconds: 6)
        }
        // Half of them leave what they have queued to whoever closes the store.
        if number % 2 == 0 { progress.wait { $0.waiting == 0 } }
    }

    /// Transfers of tasks, some of which are cancelled.
    static let awaitedTransfers = tasks("await write", 4) { worker in
        let store = worker.store
        while worker.goesOn() {
            let transfer = Transfer.random(&worker.random)
            if worker.random.int(in: 0..<8) == 0 {
                let task = Task { try await store.write { db in try transfer.run(db) } }
                await worker.rest(milliseconds: 2)
                task.cancel()
                do {
                    try await task.value
                    worker.note("cancelled too late")
                } catch is CancellationError {
                    worker.note("cancelled")
                }
            } else {
                try await store.write { db in try transfer.run(db) }
            }
            await worker.rest(milliseconds: 3)
        }
    }
}
