import JustPersist
import JustPersistRecords

extension EngineChecks {
    /// Checks of opening, closing and destroying.
    static let life: [CheckDefinition] = [
        check("close-twice", clause: [1], "Closing an engine that is not open is harmless.") {
            check in
            let engine = try check.makeEngine(named: "engine")
            engine.close()
            try engine.open()
            try engine.write { try $0.put([1], forKey: [1]) }
            engine.close()
            engine.close()
            try engine.open()
            try engine.write { try $0.put([2], forKey: [2]) }
            try engine.read { reader in
                check.expectEqual(
                    try reader.value(forKey: [2]), [2], "a value put after two closes and an open")
            }
        },
        check(
            "open-twice", clause: [1, 17],
            "A second open is harmless or refused, and harms nothing."
        ) {
            check in
            let engine = try ExaminedEngine(check, (0..<10).map(entry))
            do throws(DataStoreError) { try engine.engine.open() } catch {
                check.expect(
                    !error.message.isEmpty, "A second open was refused without a word: \(error)")
            }
            try engine.expect("after a second open")
        },
        check("reopen", clause: [1, 6], "A persistent engine keeps its data when it is reopened.") {
            check in
            var engine = try ExaminedEngine(check, (0..<1_500).map(entry))
            guard engine.engine.traits.isPersistent else {
                try check.notApplicable("the engine does not persist")
            }
            try engine.put([
                Entry(key: [7], value: []),
                Entry(key: [8], value: Array(repeating: 9, count: 100_000)),
                entry(3),
            ])
            check.expect(try engine.engine.removed(key(4)), "delete of a key gave false")
            engine.model.delete(key(4))
            for _ in 1...2 {
                engine.engine.close()
                try engine.engine.open()
                try engine.expect("when it was closed and opened")
            }
            engine.engine.close()
            let other = try check.makeEngine(named: "engine")
            try other.open()
            try other.read { try engine.expect(engine.model, "by another instance", $0) }
            other.close()
        },
        check(
            "destroy", clause: [1], "A closed engine that is destroyed is empty when it is opened."
        ) {
            check in
            var engine = try ExaminedEngine(check, (0..<1_500).map(entry))
            engine.engine.close()
            try engine.engine.destroy()
            engine.model = EngineModel()
            try engine.engine.open()
            try engine.expect("of a destroyed engine")
            try engine.put([entry(1)])
            engine.engine.close()
            // Destroys the files with an instance that was never open.
            let other = try check.makeEngine(named: "engine")
            try other.destroy()
            try other.destroy()
            try other.open()
            try other.read { try engine.expect(EngineModel(), "destroyed by another instance", $0) }
            other.close()
        },
    ]
}
