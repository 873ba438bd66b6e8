import JustPersist
import JustPersistRecords

extension EngineChecks {
    /// Checks of scans, and of look-ups during scans.
    static let scans: [CheckDefinition] = [
        check(
            "prefixes", clause: [12], "A range of a prefix has exactly the keys that begin with it."
        ) {
            check in
            let keys: [[UInt8]] = [
                [1], [1, 0], [1, 0, 0], [1, 1], [1, 255], [1, 255, 255], [2], [254, 255], [255],
                [255, 0], [255, 255], [255, 255, 255], [255, 255, 255, 0],
            ]
            var engine = try ExaminedEngine(check, keys.map { Entry(key: $0, value: $0) })
            func expectPrefixes(_ when: String) throws {
                try engine.engine.read { reader in
                    for prefix in keys + [[0], [3], []] {
                        let range = KeyRange(prefix: prefix)
                        try engine.expect(
                            engine.model.entries(in: range), in: range, "of \(prefix) … \(when)",
                            reader)
                    }
                }
            }
            try expectPrefixes("")
            for key in [[1, 255], [255, 255], [1]] as [[UInt8]] {
                check.expect(try engine.engine.removed(key), "delete of a key gave false")
                engine.model.delete(key)
                try expectPrefixes("after \(key) was deleted")
            }
        },
        check("ranges", clause: [12], "A range includes its lower bound and not its upper one.") {
            check in
            let engine = try ExaminedEngine(check, stride(from: 10, to: 50, by: 10).map(entry))
            let bounds = [0, 9, 10, 11, 20, 40, 41, 60].map(key) + [[], [0], [255, 255, 255]]
            func expectRanges(_ reader: any KeyValueReader, _ when: String) throws {
                for lower in bounds {
                    for upper in bounds.map(Optional.some) + [nil] {
                        // The ranges include those whose upper bound is below or equal to the lower bound.
                        let range = KeyRange(from: lower, upTo: upper)
                        try engine.expect(
                            engine.model.entries(in: range), in: range,
                            "from \(lower) up to \(upper.map { "\($0)" } ?? "the end") \(when)",
                            reader)
                    }
                }
            }
            try engine.engine.read { try expectRanges($0, "in a snapshot") }
            try engine.engine.write { try expectRanges($0, "in a transaction") }
        },
        check(
            "early-stop", clause: [13],
            "A scan that is stopped returns no further keys."
        ) {
            check in
            let engine = try ExaminedEngine(check, (0..<300).map(entry))
            func expectStops(_ reader: any KeyValueReader) throws {
                for limit in [1, 2, 150, 299, 300, 301] {
                    let entries = engine.model.entries
                    check.expectEqual(
                        try reader.entries(in: .all, limit: limit), Array(entries.prefix(limit)),
                        "a scan stopped after \(limit)")
                    check.expectEqual(
                        try reader.entries(in: .all, reversed: true, limit: limit),
                        Array(entries.reversed().prefix(limit)),
                        "a reversed scan stopped after \(limit)")
                }
                try engine.expect(engine.model, "after scans that were stopped", reader)
            }
            try engine.engine.read { try expectStops($0) }
            try engine.engine.write { try expectStops($0) }
        },
        check("scan-inside-scan", clause: [4], "Other scans and look-ups can run inside a scan.") {
            check in
            let engine = try ExaminedEngine(check, (0..<40).map(entry))
            func nest(_ reader: any KeyValueReader, reversed: Bool) throws {
                var walked: [Entry] = []
                try reader.scan(.all, reversed: reversed) { (key, value) throws(DataStoreError) in
                    let range = KeyRange(from: [UInt8](copying: key), upTo: nil)
                    check.expectEqual(
                        try reader.entries(in: range, reversed: !reversed),
                        engine.model.entries(in: range).inOrder(reversed: !reversed),
                        "a scan inside a scan")
                    check.expectEqual(
                        try reader.value(forKey: range.lower), engine.model.values[range.lower],
                        "a look-up inside a scan")
                    check.expectEqual(
                        try reader.value(forKey: [9, 9, 9]), nil, "a look-up of nothing in a scan")
                    _ = try reader.withValue(forKey: range.lower.span) {
                        (value) throws(DataStoreError) in
                        check.expectEqual(
                            try reader.entries(in: range),
                            engine.model.entries(in: range), "a scan inside a look-up")
                        check.expectEqual(
                            [UInt8](copying: value), engine.model.values[range.lower],
                            "the bytes of a look-up after a scan inside it")
                    }
                    // The nested scan must not change the bytes that the outer scan returned.
                    walked.append(
                        Entry(key: [UInt8](copying: key), value: [UInt8](copying: value)))
                    return .next
                }
                check.expectEqual(
                    walked, engine.model.entries.inOrder(reversed: reversed),
                    "a scan with others inside it")
            }
            try engine.engine.read { reader in
                for reversed in [false, true] { try nest(reader, reversed: reversed) }
            }
            try engine.engine.write { writer in
                for reversed in [false, true] { try nest(writer, reversed: reversed) }
            }
        },
        check(
            "errors-in-scans", clause: [5],
            "An error of a body ends its scan, and is rethrown unchanged."
        ) {
            check in
            var engine = try ExaminedEngine(check, (0..<30).map(entry))
            let upset = DataStoreError(.invalidInput, in: "conformance", "of the body")
            func expectPassed(_ what: String, line: Int = #line, _ body: () throws -> Void) {
                let error = check.expectThrows(what, line: line, body) as? DataStoreError
                check.expectEqual(error?.message, upset.message, "the error of \(what)", line: line)
            }
            func throwInside(_ reader: any KeyValueReader) throws {
                for (reversed, last) in [(false, 1), (false, 7), (true, 1), (true, 30)] {
                    var calls = 0
                    expectPassed("a scan whose body throws in call \(last)") {
                        try reader.scan(.all, reversed: reversed) { (_, _) throws(DataStoreError) in
                            calls += 1
                            if calls == last { throw upset }
                            return .next
                        }
                    }
                    check.expectEqual(calls, last, "the calls of a body that throws")
                }
                expectPassed("a look-up whose body throws") {
                    _ = try reader.withValue(forKey: key(3).span) { (_) throws(DataStoreError) in
                        throw upset
                    }
                }
                try engine.expect(engine.model, "after bodies that threw", reader)
            }
            try engine.engine.read { try throwInside($0) }
            // A transaction whose code catches the error is committed.
            try engine.engine.write { writer in
                try writer.put([1], forKey: [9])
                engine.model.put([1], forKey: [9])
                try throwInside(writer)
                try writer.put([2], forKey: [10])
                engine.model.put([2], forKey: [10])
            }
            try engine.expect("after a transaction in which bodies threw")
            expectPassed("a transaction in which a scan's error is not caught") {
                try engine.engine.write { writer in
                    try writer.put([3], forKey: [11])
                    try writer.scan(.all, reversed: false) { (_, _) throws(DataStoreError) in
                        throw upset
                    }
                }
            }
            try engine.expect("after a transaction that a scan's error ended")
        },
        check("empty", clause: [14], "An engine without keys finds nothing, and no error.") {
            check in
            let engine = try ExaminedEngine(check)
            try engine.expect("of an empty engine")
            check.expect(
                !(try engine.engine.removed([1])), "delete of a key that is not there gave true")
            try engine.engine.write { _ in }
            try engine.expect("of an empty engine, after transactions without changes")
        },
    ]
}

extension [EngineModel.Entry] {
    fileprivate func inOrder(reversed isReversed: Bool) -> [EngineModel.Entry] {
        isReversed ? reversed() : self
    }
}
