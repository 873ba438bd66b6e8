import Foundation
public import JustPersist
import Synchronization

/// How far the migration is, and what takes it on.
extension MigratingDataStore {
    /// How far a migration is.
    public struct Status: Sendable {
        /// Which store is in charge, and what the other one is for.
        public let phase: Phase
        /// Whether the store that is not in charge is the same as the one that is, up to the last write call that returned.
        public let isInStep: Bool
        /// How far the comparison of the stores is, in the background; `nil` if none is going on.
        public let progress: MigrationProgress?
        /// Why the store that is not in charge could not be written to the last time; `nil` if it could.
        ///
        /// It is tried again each second, and with each write.
        public let failure: DataStoreError?
    }

    /// How far the migration is now.
    public var status: Status { status(of: course.withLock { $0 }) }

    private func status(of course: Course) -> Status {
        let position = course.record.phase == .finished ? nil : course.mirror?.position
        return Status(
            phase: course.record.phase, isInStep: position?.isInStep ?? false,
            progress: course.progress, failure: position?.failure)
    }

    /// The status now, and then whenever the background work has gone on or the phase has changed.
    ///
    /// A loop that is slow misses elements, and holds nothing up. The stream ends when the store is closed.
    public func updates() -> AsyncStream<Status> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let number = course.withLock { course -> Int? in
                guard course.lock != nil else { return nil }
                course.lastListener += 1
                course.listeners[course.lastListener] = continuation
                return course.lastListener
            }
            guard let number else { return continuation.finish() }
            continuation.onTermination = { [weak self] _ in
                _ = self?.course.withLock { $0.listeners.removeValue(forKey: number) }
            }
            continuation.yield(status)
        }
    }

    /// Takes up what the worker does, and now and then what has become of it.
    func note(_ progress: MigrationProgress?) {
        let isFirst = course.change { course -> Bool in
            course.progress = progress
            return progress == nil && course.record.phase == .copying
        }
        let status = status
        do {
            if isFirst, status.isInStep { try advance(to: .mirroring) }
            if progress == nil { try keepPosition() }
        } catch {
            report(error as? DataStoreError ?? .migrationFailed(error))
        }
        if let failure = status.failure, progress == nil { reportOnce(failure) }
        tellListeners()
    }

    private func tellListeners() {
        let course = course.withLock { $0 }
        if course.listeners.isEmpty { return }
        let status = status(of: course)
        for listener in course.listeners.values { listener.yield(status) }
    }

    private func reportOnce(_ failure: DataStoreError) {
        let isNew = course.withLock { course in
            defer { course.reported = failure.description }
            return course.reported != failure.description
        }
        if isNew { report(failure) }
    }

    /// Waits until the store that is not in charge is the same as the one that is.
    ///
    /// - Throws: Why it cannot be written to, if that is so; `.notSetUp` if the store is closed, also meanwhile.
    public func waitUntilInStep() throws {
        while true {
            let status = status
            if status.isInStep, status.phase != .copying { return }
            if let failure = status.failure { throw failure }
            guard course.withLock({ $0.mirror != nil && $0.record.phase != .finished }) else {
                throw status.phase == .finished
                    ? Self.refusal("finished", "waitUntilInStep") : .notSetUp(in: "waitUntilInStep")
            }
            // Woken by the worker, and by whoever closes the store.
            let deadline = Date(timeIntervalSinceNow: 0.2)
            _ = course.wait(upTo: deadline) { _ -> Void? in nil }
        }
    }

    // MARK: Phases

    /// Puts the new store in charge, between two write blocks.
    ///
    /// Blocks that read the old store at that moment end with the state that they have. From here on the old store gets what
    /// is written, so that ``goBack()`` is possible. Waits for the write blocks that run and are queued; others wait for it.
    ///
    /// - Throws: `.invalidRequest` if the phase is not ``Phase/mirroring``, or the new store is not in step;
    ///   `.insideBlock` inside a block of this store. Nothing has changed then.
    public func cutOver() throws { try switchOver(from: .mirroring, to: .switched, "cutOver") }

    /// Puts the old store in charge again, with everything that was written meanwhile.
    ///
    /// - Throws: `.invalidRequest` if the phase is not ``Phase/switched``, or the old store is not in step;
    ///   `.insideBlock` inside a block of this store. Nothing has changed then.
    public func goBack() throws { try switchOver(from: .switched, to: .mirroring, "goBack") }

    /// Ends the migration: the old store is not written to any more, and stays as it is.
    ///
    /// It is closed with this store. The next time, open the new store itself; until then, this one goes on to use it. The
    /// file, and the old store, can be deleted once this store is closed.
    ///
    /// - Throws: `.invalidRequest` if the phase is not ``Phase/switched``; `.insideBlock` inside a block of this store.
    public func finish() throws {
        try life.refuseInside("finish")
        try life.visit("finish") {
            try writers.alone {
                try check(.switched, "finish")
                try advance(to: .finished)
                course.withLock { $0.mirror }?.stopCopying()
            }
        }
        course.withLock { $0.worker }?.stop()
        tellListeners()
    }

    private func switchOver(from: Phase, to phase: Phase, _ operation: String) throws {
        try life.refuseInside(operation)
        try life.visit(operation) {
            try writers.alone {
                try check(from, operation)
                guard let mirror = course.withLock({ $0.mirror }) else {
                    throw DataStoreError.notSetUp(in: operation)
                }
                try mirror.catchUp()
                let position = mirror.position
                guard position.isInStep else {
                    throw position.failure ?? Self.refusal("not in step", operation)
                }
                try putInCharge(mirror.replica, insteadOf: mirror, phase)
            }
        }
        tellListeners()
    }

    /// Nobody writes meanwhile.
    private func putInCharge(
        _ store: any DataStore, insteadOf mirror: StoreMirror, _ phase: Phase
    ) throws {
        var token: ChangeToken?
        try store.performRead { token = try $0.changeToken }
        let reversed = try StoreMirror(
            from: store, to: mirror.primary, since: token, telling: feed)
        try advance(to: phase, token: token)
        let worker = MigrationWorker(reversed) { [weak self] in self?.note($0) }
        let former = course.change { course in
            defer {
                course.mirror = reversed
                course.worker = worker
                course.progress = nil
            }
            return course.worker
        }
        isSwitched.store(phase == .switched, ordering: .releasing)
        former?.stop()
        worker.start()
    }

    private func check(_ phase: Phase, _ operation: String) throws(DataStoreError) {
        let now = course.withLock { $0.record.phase }
        if now != phase { throw Self.refusal("“\(now.rawValue)”", operation) }
    }

    /// Writes down a phase before anything is done in it.
    private func advance(to phase: Phase, token: ChangeToken? = nil) throws {
        let record = MigrationRecord(phase, token: token)
        try record.write(to: recordURL)
        course.change { $0.record = record }
    }

    private static func refusal(_ state: String, _ operation: String) -> DataStoreError {
        DataStoreError(
            .invalidRequest, in: operation,
            """
            The migration is \(state), and nothing was changed. cutOver() follows on “mirroring”, goBack() and finish() on \
            “switched”, the first two when both stores are in step: see waitUntilInStep().
            """)
    }
}

extension DataStoreError {
    /// What no store has said in its own words.
    static func migrationFailed(_ error: any Error) -> DataStoreError {
        error as? DataStoreError
            ?? DataStoreError(.storageFailure, in: "migrate", "The store failed: \(error)")
    }
}
