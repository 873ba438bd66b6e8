import JustPersist
import JustPersistRecords

extension EngineChecks {
    /// Checks of snapshots and transactions.
    static let transactions: [CheckDefinition] = [
        check("own-writes", clause: [4], "A transaction sees what it has put and deleted.") {
            check in
            var engine = try ExaminedEngine(check, stride(from: 0, to: 40, by: 2).map(entry))
            try engine.engine.write { writer in
                for (number, step) in [3, 0, 39, 20, 21, 50].enumerated() {
                    try writer.put([UInt8(number)], forKey: key(step))
                    engine.model.put([UInt8(number)], forKey: key(step))
                    try engine.expect(engine.model, "after a put of the transaction", writer)
                }
                for step in [0, 3, 10, 38, 50] {
                    check.expect(
                        try writer.delete(key(step)), "delete of a key that is there gave false")
                    check.expect(
                        !(try writer.delete(key(step))), "delete of a key just deleted gave true")
                    engine.model.delete(key(step))
                    try engine.expect(engine.model, "after a delete of the transaction", writer)
                }
                try writer.put([], forKey: key(10))
                engine.model.put([], forKey: key(10))
                for lower in [0, 3, 10, 20, 38] {
                    let range = KeyRange(from: key(lower), upTo: key(lower + 11))
                    try engine.expect(
                        engine.model.entries(in: range), in: range, "over changes", writer)
                    check.expectEqual(
                        try writer.entries(in: range, limit: 2),
                        Array(engine.model.entries(in: range).prefix(2)),
                        "a scan over changes that is stopped")
                }
            }
            try engine.expect("when the transaction was committed")
        },
        check("rollback", clause: [5], "A transaction that throws is rolled back.") { check in
            var engine = try ExaminedEngine(check, (0..<20).map(entry))
            for number in 1...3 {
                let thrown = check.expectThrows("a transaction that throws") {
                    try engine.engine.write { writer in
                        for step in 10..<30 { try writer.put([1], forKey: key(step)) }
                        for step in 0..<5 { _ = try writer.delete(key(step)) }
                        throw Upset(number: number)
                    }
                }
                check.expectEqual(
                    thrown as? Upset, Upset(number: number), "the error of a transaction")
                try engine.expect("after a transaction that threw")
            }
            try engine.put([entry(25)])
            try engine.expect("after a transaction after those that threw")
            let thrown = check.expectThrows("a snapshot's block that throws") {
                try engine.engine.read { _ in throw Upset(number: 4) }
            }
            check.expectEqual(thrown as? Upset, Upset(number: 4), "the error of a snapshot's block")
        },
        check(
            "snapshot", clause: [4],
            "A snapshot shows the state at the moment at which it was taken."
        ) {
            check in
            var engine = try ExaminedEngine(check, (0..<30).map(entry))
            let before = engine.model
            var walked: [Entry] = []
            try engine.engine.read { reader in
                // The snapshot has not read anything yet.
                try engine.commitElsewhere { writer in
                    try writer.put([1], forKey: key(3))
                    try writer.put([2], forKey: key(100))
                    _ = try writer.delete(key(5))
                }
                try engine.expect(before, "begun before a commit", reader)
                var isChanged = false
                try reader.scan(.all, reversed: false) { (key, value) throws(DataStoreError) in
                    if !isChanged {
                        isChanged = true
                        do {
                            try engine.commitElsewhere { writer in
                                for number in 6..<30 { _ = try writer.delete(Self.key(number)) }
                            }
                        } catch {
                            throw DataStoreError(.storageFailure, in: "commit", "\(error)")
                        }
                    }
                    walked.append(
                        Entry(key: [UInt8](copying: key), value: [UInt8](copying: value)))
                    return .next
                }
                try engine.expect(before, "begun before two commits", reader)
            }
            check.expectEqual(walked, before.entries, "a scan during which there was a commit")
            engine.model.put([1], forKey: key(3))
            engine.model.put([2], forKey: key(100))
            for number in 5..<30 { engine.model.delete(key(number)) }
            try engine.expect("after the snapshot")
        },
        check(
            "read-beside-write", clause: [4, 7],
            "A snapshot neither waits for a transaction nor sees its changes."
        ) { check in
            var engine = try ExaminedEngine(check, (0..<10).map(entry))
            let before = engine.model
            try engine.engine.write { writer in
                try writer.put([1], forKey: key(1))
                _ = try writer.delete(key(2))
                let reader = check.start { [engine] in
                    try engine.engine.read {
                        try engine.expect(before, "taken while a transaction was open", $0)
                    }
                }
                try reader.join()
                try engine.engine.read { reader in
                    try engine.expect(before, "taken inside a transaction", reader)
                    try engine.engine.read {
                        try engine.expect(before, "taken inside a snapshot", $0)
                    }
                }
                try writer.put([3], forKey: key(3))
                engine.model.put([1], forKey: key(1))
                engine.model.delete(key(2))
                engine.model.put([3], forKey: key(3))
                try engine.expect(engine.model, "after snapshots taken inside it", writer)
            }
            try engine.expect("after a transaction with snapshots inside it")
            try engine.engine.read { reader in
                try engine.engine.write { try $0.put([4], forKey: key(4)) }
                try engine.expect(engine.model, "in which there was a transaction", reader)
            }
            engine.model.put([4], forKey: key(4))
            try engine.expect("after a transaction inside a snapshot")
        },
        check(
            "many-keys", clause: [4, 5], "More than ten thousand keys are put, found and deleted."
        ) {
            check in
            let count = check.profile.pick(quick: 10_001, full: 100_001, soak: 1_000_001)
            let entries = (0..<count).map {
                Entry(key: [UInt8($0 >> 16)] + key($0), value: key($0 &* 7))
            }
            let engine = try ExaminedEngine(check)
            func expect(_ entries: [Entry], _ when: String, _ reader: any KeyValueReader) throws {
                try engine.expect(entries, in: .all, when, reader)
                check.tick()
                for entry in entries.every(97) {
                    check.expectEqual(
                        try reader.value(forKey: entry.key), entry.value,
                        "the value of a key \(when)")
                }
            }
            try engine.engine.write { writer in
                // From both ends, so that not every key is the last.
                for (index, entry) in entries.enumerated() {
                    let entry = index.isMultiple(of: 2) ? entry : entries[count - 1 - index]
                    try writer.put(entry.value, forKey: entry.key)
                    check.tick()
                }
                try expect(entries, "in the transaction that put \(count)", writer)
            }
            try engine.engine.read { try expect(entries, "of \(count)", $0) }
            let kept = entries.enumerated().filter { $0.offset % 3 == 0 }.map(\.element)
            try engine.engine.write { writer in
                for (index, entry) in entries.enumerated() where index % 3 > 0 {
                    check.expect(
                        try writer.delete(entry.key), "delete of a key that is there gave false")
                }
                try expect(kept, "in the transaction that deleted two thirds", writer)
            }
            try engine.engine.read { try expect(kept, "after the deletion of two thirds", $0) }
        },
        check(
            "readers-beside-writer", clause: [4, 5],
            "Threads that read see only whole transactions."
        ) {
            check in
            let engine = try ExaminedEngine(check, (0..<50).map { Entry(key: key($0), value: [0]) })
            let reads = Turns()
            let readers = (0..<4).map { _ in
                check.start {
                    defer { reads.end() }
                    while !reads.areOver {
                        try engine.engine.read { reader in
                            let values = try reader.entries(in: .all).map(\.value)
                            check.expect(
                                values.count == 50 && Set(values).count == 1,
                                "a snapshot held parts of two transactions: \(Set(values))")
                        }
                        reads.note()
                    }
                }
            }
            defer { reads.end() }
            for round in 1...check.profile.pick(quick: 50, full: 500, soak: 5_000) {
                reads.wait(forMore: 1)
                try engine.engine.write { writer in
                    for number in 0..<50 {
                        try writer.put([UInt8(round & 255)], forKey: key(number))
                    }
                }
                check.tick()
            }
            reads.end()
            for reader in readers { try reader.join() }
        },
        check(
            "random", clause: [4, 5, 12],
            "Random transactions have the results that a dictionary has."
        ) {
            check in
            var random = check.generator()
            var engine = try ExaminedEngine(check)
            for _ in 0..<check.profile.pick(quick: 60, full: 1_000, soak: 20_000) {
                var changed = engine.model
                let isKept = random.int(in: 0..<4) > 0
                do {
                    try engine.engine.write { writer in
                        for _ in 0..<random.int(in: 0...12) {
                            let key = (0..<random.int(in: 1...3)).map { _ in
                                random.pick([0, 1, 2, 127, 128, 255] as [UInt8])
                            }
                            if random.int(in: 0..<3) > 0 {
                                let value = Array(
                                    repeating: random.pick([1, 2, 3] as [UInt8]),
                                    count: random.int(in: 0...40))
                                try writer.put(value, forKey: key)
                                changed.put(value, forKey: key)
                            } else {
                                check.expectEqual(
                                    try writer.delete(key), changed.values[key] != nil,
                                    "whether delete found a key")
                                changed.delete(key)
                            }
                        }
                        try engine.expect(changed, "in a random transaction", writer)
                        if !isKept { throw Upset(number: 0) }
                    }
                    engine.model = changed
                } catch is Upset {}
                try engine.engine.read {
                    try engine.expect(engine.model, "after random transactions", $0)
                }
            }
        },
    ]
}

extension ExaminedEngine {
    /// Runs a transaction on another thread.
    fileprivate func commitElsewhere(
        _ body: @escaping @Sendable (any KeyValueWriter) throws -> Void
    ) throws {
        try check.start { [engine] in try engine.write(body) }.join()
    }
}

extension Array {
    /// The first element, and every element at a multiple of `distance` after it.
    fileprivate func every(_ distance: Int) -> [Element] {
        stride(from: 0, to: count, by: distance).map { self[$0] }
    }
}
