import Foundation
public import JustPersist
import Synchronization

/// The state and the phases of the migration.
extension MigratingDataStore {
    /// The state of a migration.
    public struct Status: Sendable {
        /// The phase, which determines which store is in charge and whether the other one is written to.
        public let phase: Phase
        /// Whether the store that is not in charge is the same as the one that is, up to the last write call that
        /// returned.
        public let isInStep: Bool
        /// The progress of the background comparison of the stores; `nil` if none is running.
        public let progress: MigrationProgress?
        /// The last failure to write to the store that is not in charge, or to the file; `nil` after a success.
        ///
        /// It is tried again within a second.
        public let failure: DataStoreError?
    }

    /// The present state of the migration.
    public var status: Status {
        let phase = record.withLock { $0?.phase } ?? .copying
        let (mirror, progress, recordFailure) = running.withLock {
            ($0.mirror, $0.progress, $0.recordFailure)
        }
        let position = phase == .finished ? nil : mirror?.lastPosition
        return Status(
            phase: phase, isInStep: phase != .copying && position?.isInStep ?? false,
            progress: progress, failure: position?.failure ?? recordFailure)
    }

    /// The status now, and again after each step of the background work or change of the phase.
    ///
    /// A slow loop misses elements, and delays nothing. The stream ends when the store is closed.
    public func updates() -> AsyncStream<Status> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let number = running.withLock { running -> Int? in
                guard running.lock != nil else { return nil }
                running.lastListener += 1
                running.listeners[running.lastListener] = continuation
                return running.lastListener
            }
            guard let number else { return continuation.finish() }
            continuation.onTermination = { [weak self] _ in
                _ = self?.running.withLock { $0.listeners.removeValue(forKey: number) }
            }
            continuation.yield(status)
        }
    }

    /// Called by the worker with its progress, and with `nil` each time it has finished.
    func note(_ progress: MigrationProgress?) {
        running.withLock { $0.progress = progress }
        if progress == nil {
            relay.retain()
            var recordFailure: DataStoreError?
            do {
                try restoreRecord()
                try endCopying()
                try keepPosition()
            } catch {
                recordFailure = .migrationFailed(error)
            }
            running.withLock { [recordFailure] in $0.recordFailure = recordFailure }
            if let failure = status.failure {
                reportOnce(failure)
            } else {
                running.withLock { $0.reported = nil }
            }
        }
        tellStatus()
    }

    /// Begins the next phase once everything is copied.
    private func endCopying() throws {
        guard record.withLock({ $0?.phase == .copying }),
            let position = running.withLock({ $0.mirror })?.position, position.isInStep
        else { return }
        try changeRecord { $0?.phase = .mirroring }
    }

    private func tellStatus() {
        let listeners = running.change { running in
            running.version += 1
            return running.listeners.values
        }
        if listeners.isEmpty { return }
        let status = status
        for listener in listeners { listener.yield(status) }
    }

    /// Waits until the store that is not in charge is the same as the one that is.
    ///
    /// - Throws: The failure that prevents it, if there is one: the work is tried again, so this may be called again.
    ///   `.notSetUp` if the store is or becomes closed; `.invalidRequest` if the migration is finished.
    public func waitUntilInStep() throws {
        var isTried = false
        while true {
            let (version, worker, isOpen) = running.withLock {
                ($0.version, $0.worker, $0.lock != nil)
            }
            if !isOpen { throw DataStoreError.notSetUp(in: "waitUntilInStep") }
            let status = status
            if status.isInStep { return }
            if status.phase == .finished { throw Self.refusal(.finished, "waitUntilInStep") }
            // The failure is thrown only after another attempt.
            if let failure = status.failure, isTried { throw failure }
            worker?.wake()
            running.wait { running -> Void? in
                running.version != version || running.lock == nil ? () : nil
            }
            isTried = status.progress == nil
        }
    }

    // MARK: Phases

    /// Puts the new store in charge, between two write blocks.
    ///
    /// Blocks that are reading the old store at that moment end with its state. From here on writes are copied to the
    /// old store, so that ``goBack()`` is possible. Waits for the write blocks that run and are queued; others wait for
    /// it.
    ///
    /// - Throws: `.invalidRequest` if the phase is not ``Phase/mirroring``, or the new store is not in step;
    ///   `.insideBlock` inside a block of this store. In these cases nothing changes.
    public func cutOver() throws { try switchOver(from: .mirroring, to: .switched, "cutOver") }

    /// Puts the old store in charge again, with everything that was written meanwhile.
    ///
    /// - Throws: `.invalidRequest` if the phase is not ``Phase/switched``, or the old store is not in step;
    ///   `.insideBlock` inside a block of this store. In these cases nothing changes.
    public func goBack() throws { try switchOver(from: .switched, to: .mirroring, "goBack") }

    /// Ends the migration: the old store is no longer written to, and stays unchanged.
    ///
    /// The old store is closed with this store. The next time, open the new store itself; until then, this store
    /// continues to use it. The file and the old store can be deleted once this store is closed.
    ///
    /// - Throws: `.invalidRequest` if the phase is not ``Phase/switched``; `.insideBlock` inside a block of this store.
    public func finish() throws {
        try life.refuseInside("finish")
        try life.visit("finish") {
            try writers.exclusively {
                try check(.switched, "finish")
                try changeRecord { record in
                    record?.phase = .finished
                    record?.token = nil
                }
                running.withLock { $0.mirror }?.stopCopying()
            }
            running.withLock { $0.worker }?.stop()
            running.withLock { running in
                running.progress = nil
                running.recordFailure = nil
            }
        }
        tellStatus()
    }

    private func switchOver(from: Phase, to phase: Phase, _ operation: String) throws {
        try life.refuseInside(operation)
        try life.visit(operation) {
            try check(from, operation)
            guard let mirror = running.withLock({ $0.mirror }) else {
                throw DataStoreError.notSetUp(in: operation)
            }
            try checkIsInStep(mirror, operation)
            try writers.exclusively {
                // Another call may have come first.
                try check(from, operation)
                try mirror.catchUp()
                try checkIsInStep(mirror, operation)
                try putInCharge(mirror.replica, insteadOf: mirror, phase)
            }
        }
        tellStatus()
    }

    private func checkIsInStep(_ mirror: StoreMirror, _ operation: String) throws(DataStoreError) {
        let position = mirror.position
        if position.isInStep { return }
        throw position.failure
            ?? DataStoreError(
                .invalidRequest, in: operation,
                """
                The two stores are not in step yet, and nothing was changed. Wait for waitUntilInStep(), and call again.
                """)
    }

    /// Runs while writers are excluded.
    private func putInCharge(
        _ store: any DataStore, insteadOf mirror: StoreMirror, _ phase: Phase
    ) throws {
        let token = try place(in: store)
        let reversed = try StoreMirror(
            from: store, to: mirror.primary, since: token, telling: relay,
            forgetPlace: { [weak self] in try self?.forgetPlace() })
        let worker = MigrationWorker(reversed) { [weak self] in self?.note($0) }
        // From here on the former worker does not save its place.
        let former = running.withLock { running in
            defer { (running.mirror, running.worker) = (reversed, worker) }
            return running.worker
        }
        do {
            try changeRecord { record in
                record?.phase = phase
                record?.token = capabilities.persistence == .powerLoss ? token : nil
            }
        } catch {
            running.withLock { ($0.mirror, $0.worker) = (mirror, former) }
            throw error
        }
        // The mirror ends before the reversed one writes to its primary.
        mirror.end()
        relay.follow(from: token)
        setInCharge(new: phase == .switched)
        former?.cancel()
        worker.start()
    }

    private func check(_ phase: Phase, _ operation: String) throws(DataStoreError) {
        let now = record.withLock { $0?.phase } ?? .copying
        if now != phase { throw Self.refusal(now, operation) }
    }

    private static func refusal(_ phase: Phase, _ operation: String) -> DataStoreError {
        DataStoreError(
            .invalidRequest, in: operation,
            """
            The migration is “\(phase.rawValue)”, and nothing was changed. cutOver() follows on “mirroring”, goBack() and finish() on \
            “switched”, the first two when both stores are in step: see waitUntilInStep().
            """)
    }
}

extension DataStoreError {
    /// An error that does not come from a store.
    static func migrationFailed(_ error: any Error) -> DataStoreError {
        error as? DataStoreError
            ?? DataStoreError(.storageFailure, in: "migrate", "The store failed: \(error)")
    }
}
