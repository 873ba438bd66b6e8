import Foundation
import JustPersist
import Workload

/// Those who use indexes that come and go.
extension Activity {
    /// Grains that change places, so that each heap keeps its size, counted with an index and without.
    static let grains = threads("grains", 2) { worker in
        while worker.goesOn() {
            let heap = worker.random.int(in: Grain.heaps)
            let other = worker.random.int(in: Grain.heaps)
            if worker.number == 0 {
                try worker.store.write { db in
                    guard let one = try db.first(Grain.self, where: \.heap == heap),
                        let two = try db.first(Grain.self, where: \.heap == other)
                    else { throw Violation("heap \(heap) or \(other) is empty") }
                    one.heap = other
                    two.heap = heap
                }
            } else {
                let count = try worker.store.read { db in
                    try db.count(Grain.self, where: \.heap == heap)
                }
                try require(
                    count == Grain.perHeap, "heap \(heap) has \(count), not \(Grain.perHeap)")
            }
            worker.pause(milliseconds: 100)
        }
    }

    /// Drops indexes and declares them anew.
    static let indexes = threads("drop and declare indexes", 1) { worker in
        while worker.goesOn() {
            // The large one seldom: to build it takes most of a second of all writers' time.
            let isLarge = worker.random.int(in: 0..<8) == 0
            let isDropped = try worker.store.write { db in
                isLarge
                    ? try db.dropIndex(Grain.index, ofType: "Grain")
                    : try db.dropIndex(IndexSchema(["branch"]), ofType: "Account")
            }
            let size = isLarge ? "large" : "small"
            worker.note(isDropped ? "\(size) dropped" : "\(size) not there")
            worker.pause(milliseconds: 100)
            try worker.store.write { db in
                try db.declare(Grain.schemaWithIndex)
                try db.declare(Account.schema)
            }
            if worker.random.int(in: 0..<2) == 0 {
                try worker.store.buildIndexes()
                worker.note("waited for")
            }
            worker.pause(milliseconds: 300)
        }
    }
}
