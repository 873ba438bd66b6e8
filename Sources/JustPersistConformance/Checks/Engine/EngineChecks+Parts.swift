import JustPersist
import JustPersistRecords

extension EngineChecks {
    /// Checks of operations that an engine may implement itself: savepoints, ranges, and look-ups of many keys.
    static let parts: [CheckDefinition] = [
        check(
            "savepoints", clause: [4, 5], "A savepoint that throws is undone."
        ) {
            check in
            var engine = try ExaminedEngine(check, (0..<20).map(entry))
            try engine.engine.write { writer in
                try writer.put([1], forKey: key(1))
                engine.model.put([1], forKey: key(1))
                for number in 1...3 {
                    let thrown = check.expectThrows("a part of a transaction that throws") {
                        try writer.withSavepoint { inner in
                            var model = engine.model
                            try inner.put([2], forKey: key(2))
                            try inner.put([30], forKey: key(30))
                            _ = try inner.delete(key(1))
                            _ = try inner.deleteAll(in: KeyRange(from: key(5), upTo: key(9)))
                            model.put([2], forKey: key(2))
                            model.put([30], forKey: key(30))
                            for gone in [1, 5, 6, 7, 8] { model.delete(key(gone)) }
                            try engine.expect(model, "in a part of a transaction", inner)
                            try inner.withSavepoint { try $0.put([31], forKey: key(31)) }
                            model.put([31], forKey: key(31))
                            try engine.expect(model, "after a part of a part", inner)
                            throw Upset(number: number)
                        }
                    }
                    check.expectEqual(
                        thrown as? Upset, Upset(number: number), "the error of a part")
                    try engine.expect(engine.model, "after a part that threw", writer)
                }
                try writer.withSavepoint { inner in
                    try inner.put([3], forKey: key(3))
                    _ = try? inner.withSavepoint { part in
                        try part.put([4], forKey: key(4))
                        throw Upset(number: 4)
                    }
                    _ = try inner.delete(key(12))
                }
                engine.model.put([3], forKey: key(3))
                engine.model.delete(key(12))
                try engine.expect(engine.model, "after a part that returned", writer)
                try writer.put([40], forKey: key(40))
                engine.model.put([40], forKey: key(40))
            }
            try engine.expect("when a transaction with parts was committed")
            let thrown = check.expectThrows("a transaction that throws after a part") {
                try engine.engine.write { writer in
                    try writer.withSavepoint { try $0.put([50], forKey: key(50)) }
                    throw Upset(number: 5)
                }
            }
            check.expectEqual(thrown as? Upset, Upset(number: 5), "the error of a transaction")
            try engine.expect("after a transaction that threw after a part had returned")
        },
        check("range-deletes", clause: [5, 12], "Deleting a range removes exactly its keys.") {
            check in
            let count = check.profile.pick(quick: 5_001, full: 20_001, soak: 100_001)
            var engine = try ExaminedEngine(check, (0..<count).map(entry))
            let ranges = [
                KeyRange(from: key(10), upTo: key(10)), KeyRange(from: key(10), upTo: key(11)),
                KeyRange(from: key(20) + [0], upTo: key(30) + [0]),
                KeyRange(from: key(100), upTo: key(count - 200)),
                KeyRange(from: key(100), upTo: key(count - 200)),
                KeyRange(from: [], upTo: key(3)), KeyRange(from: key(count - 3), upTo: nil),
            ]
            for range in ranges {
                let gone = engine.model.entries(in: range)
                try engine.engine.write { writer in
                    check.expectEqual(
                        try writer.deleteAll(in: range), gone.count,
                        "the number that deleteAll(in:) gives")
                    for entry in gone { engine.model.delete(entry.key) }
                    try engine.expect(
                        engine.model.entries, in: .all, "after deleteAll(in:)", writer)
                }
                check.tick()
            }
            try engine.expect("when ranges were deleted")
            let left = engine.model.entries.count
            try engine.engine.write { writer in
                try writer.put([1], forKey: [7])
                check.expectEqual(
                    try writer.deleteAll(in: .all), left + 1, "the number of all keys deleted")
            }
            engine.model = EngineModel()
            try engine.expect("when all keys were deleted")
        },
        check("keys-only", clause: [12], "A scan of the keys returns the keys of a scan.") {
            check in
            let engine = try ExaminedEngine(check, (0..<300).map(entry))
            func expect(_ reader: any KeyValueReader) throws {
                for range in [
                    .all, KeyRange(from: key(17), upTo: key(200)),
                    KeyRange(from: key(17), upTo: nil),
                    KeyRange(from: key(9), upTo: key(9)),
                ] {
                    let expected = engine.model.entries(in: range).map(\.key)
                    for isReversed in [false, true] {
                        for limit in [1, 5, .max] {
                            var keys: [[UInt8]] = []
                            try reader.scanKeys(range, reversed: isReversed) {
                                (key) throws(DataStoreError) in
                                keys.append([UInt8](copying: key))
                                return keys.count < limit ? .next : .stop
                            }
                            let all = isReversed ? expected.reversed() : expected
                            check.expectEqual(
                                keys, Array(all.prefix(limit)), "the keys that scanKeys gives")
                        }
                    }
                }
            }
            try engine.engine.read(expect)
            try engine.engine.write(expect)
        },
        check(
            "many-look-ups", clause: [4], "A look-up of many keys returns the value of each."
        ) {
            check in
            var engine = try ExaminedEngine(check, stride(from: 0, to: 400, by: 2).map(entry))
            func expect(_ model: EngineModel, _ reader: any KeyValueReader) throws {
                let keys = ((0..<400).map(key) + [key(8), key(8), [9]]).reversed() as [[UInt8]]
                var found: [Int: [UInt8]] = [:]
                var places: [Int] = []
                try reader.withValues(forKeys: keys) { (place, value) throws(DataStoreError) in
                    places.append(place)
                    found[place] = [UInt8](copying: value)
                    return .next
                }
                check.expectEqual(places, places.sorted(), "the order of the places of the keys")
                check.expectEqual(
                    keys.indices.filter { found[$0] != model.values[keys[$0]] }, [],
                    "the places of the keys that withValues does not give the values of")
                places = []
                try reader.withValues(forKeys: keys) { (place, _) throws(DataStoreError) in
                    places.append(place)
                    return places.count < 3 ? .next : .stop
                }
                check.expectEqual(places.count, 3, "the keys that come until body says stop")
                try reader.withValues(forKeys: []) { (_, _) throws(DataStoreError) in
                    check.fail("withValues called its body for no keys")
                    return .stop
                }
            }
            try engine.engine.read { try expect(engine.model, $0) }
            try engine.engine.write { writer in
                try writer.put([1], forKey: key(1))
                _ = try writer.delete(key(2))
                engine.model.put([1], forKey: key(1))
                engine.model.delete(key(2))
                try expect(engine.model, writer)
            }
        },
    ]
}
