import Foundation
import JustPersist
import Synchronization

/// Opening and closing.
extension MigratingDataStore {
    /// Opens both stores, and continues the migration.
    ///
    /// The first time, the new store must be empty. A migration that is finished opens the new store only.
    ///
    /// - Throws: `.targetNotEmpty` if the new store holds items that no migration with this file has copied,
    ///   `.unsupported` if one of the stores cannot be migrated while it is in use, `.alreadyOpen` if the migration is
    ///   open elsewhere, and the errors of the stores.
    public func open() throws {
        try life.open {
            try checkStores()
            try makeFolder()
            let lock = try MigrationLock(recordURL)
            let known = try MigrationRecord(at: recordURL)
            record.withLock { $0 = known }
            if known?.phase == .finished {
                try openFinished(known)
                return running.withLock { $0 = Running(lock: lock) }
            }
            var opened: [any DataStore] = []
            do {
                for store in [old, new] {
                    try store.open()
                    opened.append(store)
                }
                try begin(known, lock)
            } catch {
                relay.close()
                for store in opened { try? store.close() }
                throw error
            }
        }
    }

    private func openFinished(_ known: MigrationRecord?) throws {
        try new.open()
        do {
            guard try place(in: new).origin == known?.new else {
                throw DataStoreError(
                    .invalidInput, in: "open",
                    """
                    The migration of “\(recordURL.path)” is finished, and the new store is not the one into which it went: its files \
                    were moved, replaced or lost. Nothing was changed. Put the store back, or open the one that is there by \
                    itself.
                    """)
            }
        } catch {
            try? new.close()
            throw error
        }
        setInCharge(new: true)
    }

    private func begin(_ known: MigrationRecord?, _ lock: MigrationLock) throws {
        let places = (old: try place(in: old), new: try place(in: new))
        let histories = (old: places.old.origin, new: places.new.origin)
        if let known {
            if known.old != histories.old { throw isAnother(old, "old") }
            if known.new != histories.new { throw isAnother(new, "new") }
        } else {
            try checkIsEmpty(new)
            try changeRecord { record in
                record = MigrationRecord(.copying, old: histories.old, new: histories.new)
            }
        }
        let isSwitched = known?.phase == .switched
        relay.open(at: isSwitched ? places.new : places.old)
        let mirror = try StoreMirror(
            from: isSwitched ? new : old, to: isSwitched ? old : new, since: known?.token,
            telling: relay, forgetPlace: { [weak self] in try self?.forgetPlace() })
        // This comes before any commit, because later commits could reach the token's place in the history a second
        // time.
        if try !mirror.unknownTypes().isEmpty { try changeRecord { $0?.token = nil } }
        setInCharge(new: isSwitched)
        let worker = MigrationWorker(mirror) { [weak self] progress in self?.note(progress) }
        running.change { $0 = Running(lock: lock, mirror: mirror, worker: worker) }
        worker.start()
    }

    /// The present place in the history of a store.
    func place(in store: any DataStore) throws -> ChangeToken {
        var token: ChangeToken?
        try store.performRead { token = try $0.changeToken }
        guard let token else { throw DataStoreError.notSetUp(in: "open") }
        return token
    }

    private func isAnother(_ store: any DataStore, _ name: String) -> DataStoreError {
        DataStoreError(
            .invalidInput, in: "open",
            """
            The \(name) store is not the one with which the migration of “\(recordURL.path)” was begun: its files were moved, \
            replaced or lost, or its history does not last. Nothing was changed. Put the store back; or, to begin anew, delete \
            that file and give an empty new store.
            """)
    }

    private func makeFolder() throws(DataStoreError) {
        try StoreDirectory.create(recordURL.absoluteURL.deletingLastPathComponent().path)
    }

    private func checkStores() throws(DataStoreError) {
        func refuse(_ reason: String) -> DataStoreError {
            DataStoreError(
                .unsupported, in: "open",
                "\(reason) Open the two stores differently, or copy them with a Migration while no program writes."
            )
        }
        if old === new { throw refuse("Both stores are the same.") }
        for store in [old, new] {
            let (name, capabilities) = (store === old ? "old" : "new", store.capabilities)
            if capabilities.isReadOnly { throw refuse("The \(name) store is read-only.") }
            if capabilities.persistence == .none {
                throw refuse("The \(name) store does not keep its data when it is closed.")
            }
            if capabilities.changeStreams == .none {
                throw refuse("The \(name) store does not report its changes.")
            }
            if capabilities.threading != .callingThread {
                throw refuse("The \(name) store runs blocks on the main thread.")
            }
            if !capabilities.nesting.isSuperset(of: [.readInRead, .writeInRead]) {
                throw refuse("The \(name) store allows no blocks inside of blocks.")
            }
        }
    }

    private func checkIsEmpty(_ store: any DataStore) throws {
        try store.performRead { db in
            for schema in try db.schemas() {
                guard let item = try db.performFetch(schema.firstItem).first else { continue }
                let isStep = schema.itemTypeKey == AppliedSchemaStep.itemTypeKey
                throw DataStoreError(
                    .targetNotEmpty, in: "open",
                    """
                    The new store already holds items, such as the “\(schema.itemTypeKey)” \(item.uniqueToken), and “\(recordURL.path)” \
                    does not say how they came there.
                    """,
                    advice: isStep
                        ? "It records the step of a plan: choose a store that no plan was applied to."
                        : "Choose an empty store, or the file that was given before.",
                    itemType: schema.itemTypeKey)
            }
        }
    }

    /// Waits for all blocks, copies their changes, and closes both stores.
    public func close() throws {
        try life.close("close") { try closeStores() }
    }

    private func closeStores() throws {
        writers.waitUntilQueueIsEmpty()
        let (mirror, worker) = running.withLock { ($0.mirror, $0.worker) }
        worker?.stop()
        var outcome = Result {
            do throws(DataStoreError) { try mirror?.catchUp() } catch { reportOnce(error) }
            try restoreRecord()
            try keepPosition()
        }
        relay.close()
        let listeners = running.change { running in
            defer { running = Running(lock: running.lock) }
            return running.listeners.values
        }
        for listener in listeners { listener.finish() }
        for store in [old, new] {
            let closing = Result { try store.close() }
            if case .success = outcome { outcome = closing }
        }
        running.change { $0.lock = nil }
        try outcome.get()
    }

    /// Closes both stores, and deletes their data and the file of the migration.
    public func destroy() throws {
        try life.close("destroy", evenIfClosed: true) {
            let isOpen = running.withLock { $0.lock != nil }
            if isOpen { try? closeStores() }
            try makeFolder()
            let lock = try MigrationLock(recordURL)
            // The file goes first: without it, the remains of the stores are not mistaken for a migration.
            do {
                try FileManager.default.removeItem(at: recordURL)
            } catch {
                let failure = DataStoreError(fileError: error, in: "destroy", path: recordURL.path)
                if failure.code != .storeNotFound { throw failure }
            }
            record.withLock { $0 = nil }
            try old.destroy()
            try new.destroy()
            setInCharge(new: false)
            withExtendedLifetime(lock) {}
        }
    }

    // MARK: The file

    /// Changes the contents of the file, if `change` does; after an error the contents are the previous ones.
    func changeRecord(_ change: (inout MigrationRecord?) throws -> Void) throws {
        try record.withLock { record in
            var next = record
            try change(&next)
            if next == record, !isRecordStale.load(ordering: .relaxed) { return }
            do throws(DataStoreError) {
                try next?.write(to: recordURL)
            } catch {
                // The file may have been replaced without being synced.
                if let record {
                    let isRestored: ()? = try? record.write(to: recordURL)
                    isRecordStale.store(isRestored == nil, ordering: .relaxed)
                } else {
                    try? FileManager.default.removeItem(at: recordURL)
                }
                throw error
            }
            isRecordStale.store(false, ordering: .relaxed)
            record = next
        }
    }

    /// Writes the record to the file again, if a failure may have left other contents there.
    func restoreRecord() throws { try changeRecord { _ in } }

    /// Saves the place in the primary's history up to which it is copied.
    func keepPosition() throws {
        // A store that may lose its last commits could have lost the place, or reach it again with other commits.
        guard capabilities.persistence == .powerLoss,
            let mirror = running.withLock({ $0.mirror })
        else { return }
        let forgotten = forgottenPlaces.load(ordering: .acquiring)
        guard let token = mirror.position.token else { return }
        try changeRecord { record in
            // Another mirror may have started meanwhile, or the place may have been forgotten.
            guard running.withLock({ $0.mirror === mirror }), record?.phase != .finished,
                forgottenPlaces.load(ordering: .acquiring) == forgotten
            else { return }
            record?.token = token
        }
    }

    /// Removes from the file the place up to which the primary is copied.
    func forgetPlace() throws {
        forgottenPlaces.add(1, ordering: .acquiringAndReleasing)
        try changeRecord { $0?.token = nil }
    }
}

extension ItemSchema {
    fileprivate var firstItem: DataStoreRequest {
        let request = allItems
        request.limit = 1
        return request
    }
}
