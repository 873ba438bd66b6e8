import JustPersist

/// Checks of requests that end early: after their deadline, and in a cancelled task.
///
/// The deadlines have passed, and the tasks are cancelled, before the requests begin, so that no check depends on the
/// speed of the machine.
enum LimitChecks {
    static let all: [CheckDefinition] = Way.allCases.flatMap { way in
        [
            CheckDefinition(
                "limit/deadline-\(way)", clause: [5, 10, 14],
                """
                \(way.primitive) ends with deadlineExceeded after the request's deadline, and its block continues.
                """
            ) { check in try deadline(way, check) },
            CheckDefinition(
                "limit/cancelled-\(way)", clause: [2, 10, 14],
                """
                \(way.primitive) ends with an error in a cancelled task, and its write block is rolled back.
                """
            ) { check in try cancellation(way, check) },
        ]
    }

    /// Creates many items, and a request that must read each of them.
    private static func filled(_ check: CheckContext) throws -> (StoredType, DataStoreRequest) {
        let count = PrimitiveChecks.many(check)
        try check.requireBlocks(of: count)
        let items = try StoredType("ConformanceLimit", ["number"], in: check.openStore(), check)
        try items.store.write { db in
            for number in 0..<count {
                _ = try items.create(["number": .int(Int64(number))], db)
            }
        }
        return (items, request(items))
    }

    private static func request(_ items: StoredType) -> DataStoreRequest {
        items.request(where: .compare("number", .notEqual, .int(-1)))
    }

    private static func deadline(_ way: Way, _ check: CheckContext) throws {
        let (items, request) = try filled(check)
        let count = PrimitiveChecks.many(check)
        func ask<Accessor: DataStoreReadAccessor & ~Copyable>(
            _ place: String, finding count: Int, _ db: borrowing Accessor
        ) throws {
            request.deadline = .nanoseconds(1)
            check.expectError(.deadlineExceeded, what: "\(way.primitive) \(place), 1 ns") {
                _ = try way.answer(to: request, db)
            }
            for deadline in [Duration.seconds(3_600), nil] {
                request.deadline = deadline
                check.expectEqual(
                    try way.answer(to: request, db).count, count,
                    "the items that \(way.primitive) finds \(place) after a request was given up")
            }
        }
        try items.store.read { db in try ask("in a read block", finding: count, db) }
        try items.store.write { db in
            _ = try items.create(["number": .int(Int64(count))], db)
            try ask("in a write block", finding: count + 1, db)
        }
        check.expectEqual(
            try items.ids().count, count + 1,
            "the items after a write block in which a request was given up")
    }

    private static func cancellation(_ way: Way, _ check: CheckContext) throws {
        let (items, _) = try filled(check)
        let store = items.store
        let before = try items.ids().count
        func expectCancelled(
            _ place: String, _ work: @escaping @Sendable (_ cancel: () -> Void) async throws -> Void
        ) throws {
            try check.runAsync {
                let task = Locked<Task<Void, any Error>?>(nil)
                let running = Task { try await work { task.wait { $0 }.cancel() } }
                task.change { $0 = running }
                do {
                    try await running.value
                    check.fail("\(place): expected CancellationError, but it succeeded")
                } catch {
                    check.expect(
                        error is CancellationError,
                        "\(place): expected CancellationError, got \(error)")
                }
            }
        }
        try expectCancelled("read in a task that was cancelled") { cancel in
            try store.readSync { db in
                cancel()
                askUntilRefused(way, items, "in a read block", db)
                try Task.checkCancellation()
            }
        }
        // The block's code cannot know that a result is incomplete.
        try expectCancelled("writeSync in a task that was cancelled") { cancel in
            try store.writeSync { db in
                _ = try items.create(["number": .int(-2)], db)
                cancel()
                askUntilRefused(way, items, "in a write block", db)
            }
        }
        check.expectEqual(
            try items.ids().count, before, "the items after a write block of a cancelled task")
        try items.create(["number": .int(-3)])
        check.expectEqual(try items.ids().count, before + 1, "the items after a later block")
    }

    /// Repeats a request until it is refused, because a store checks for the cancellation only from time to time.
    private static func askUntilRefused<Accessor: DataStoreReadAccessor & ~Copyable>(
        _ way: Way, _ items: StoredType, _ place: String, _ db: borrowing Accessor
    ) {
        for _ in 0..<100 {
            do {
                _ = try way.answer(to: request(items), db)
            } catch {
                items.check.expectEqual(
                    (error as? DataStoreError)?.code, .cancelled,
                    "the code of the error of \(way.primitive) \(place) of a cancelled task")
                return
            }
        }
        items.check.fail(
            "\(way.primitive) was answered a hundred times \(place) of a cancelled task")
    }
}
