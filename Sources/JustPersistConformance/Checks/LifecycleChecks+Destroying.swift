import JustPersist

extension LifecycleChecks {
    /// Checks of destroying a store.
    static let destroying: [CheckDefinition] = [
        CheckDefinition(
            "life/destroy-many", clause: [1],
            "destroy removes more than a thousand items and types."
        ) { check in
            let (shelved, shelf) = try ShelvedStore.filled(
                items: PrimitiveChecks.many(check), types: 101, check)
            try shelved.store.destroy()
            check.expectError(.notSetUp, what: "a read after destroy") {
                _ = try shelved.store.notes()
            }
            try expectNothing(of: shelf, in: shelved, "destroyed while it was open")
        },
        CheckDefinition(
            "life/destroy-closed", clause: [1],
            "destroy of a store that is closed deletes its data."
        ) { check in
            let (shelved, shelf) = try ShelvedStore.filled(check)
            try shelved.store.close()
            try shelved.store.destroy()
            try expectNothing(of: shelf, in: shelved, "destroyed while it was closed")
            guard check.reopeningKeepsData else { return }
            let store = try check.makeStore(named: "never-opened")
            try store.open()
            try store.addNote("before")
            try store.close()
            try check.makeStore(named: "never-opened").destroy()
            let after = try check.makeStore(named: "never-opened")
            try after.open()
            check.expectEqual(
                try after.notes(), [],
                "the items after an object that was never open destroyed them")
        },
        CheckDefinition(
            "life/destroy-twice", clause: [1],
            "A second destroy is harmless, also before any setup."
        ) { check in
            let store = try check.makeStore(named: "new")
            check.expectSuccess("destroy of a store that never was") { try store.destroy() }
            let (shelved, shelf) = try ShelvedStore.filled(items: 3, check)
            try shelved.store.destroy()
            check.expectSuccess("a second destroy") { try shelved.store.destroy() }
            check.expectSuccess("tearDown after destroy") { try shelved.store.close() }
            try expectNothing(of: shelf, in: shelved, "destroyed twice")
        },
        CheckDefinition(
            "life/destroy-while-reader-open", clause: [1],
            "destroy waits for a read block that is open on another thread."
        ) { check in
            let (shelved, shelf) = try ShelvedStore.filled(check)
            let hasBegun = Latch()
            let hasEnded = Locked(false)
            let destroyed = Promise<Bool>()
            let reading = check.start {
                try shelved.store.read { db in
                    hasBegun.open()
                    check.expect(
                        !comesTrue(within: .milliseconds(100)) { destroyed.isSettled },
                        "destroy returned while a read block was open")
                    for question in Question.allCases {
                        try question.expect(
                            shelf, "while another thread destroys the store", db, check)
                    }
                    hasEnded.withLock { $0 = true }
                }
            }
            hasBegun.wait()
            destroyed.settle(
                Result {
                    try shelved.store.destroy()
                    return hasEnded.withLock { $0 }
                })
            check.expect(
                try destroyed.get(), "destroy returned before the read block had ended")
            try reading.join()
            try expectNothing(of: shelf, in: shelved, "destroyed beside a reader")
        },
    ]

    /// Opens a store that was destroyed, and expects that it is empty and can be written to.
    private static func expectNothing(
        of shelf: Shelf, in shelved: ShelvedStore, _ when: String, file: String = #fileID,
        line: Int = #line
    ) throws {
        func expectEmpty(_ store: any DataStore, _ when: String) throws {
            var nothing = Shelf()
            for entry in shelf.items { nothing.remove(entry.id) }
            let empty = ShelvedStore(check: shelved.check, store: store)
            try empty.expect(nothing, when, file: file, line: line)
        }
        try shelved.store.open()
        try expectEmpty(shelved.store, when)
        if shelved.check.reopeningKeepsData {
            let again = try shelved.check.reopened(shelved.store)
            try expectEmpty(again, "\(when), and opened again")
            try again.close()
        } else {
            try shelved.store.close()
        }
        try shelved.store.open()
    }
}
