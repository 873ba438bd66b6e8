import Foundation
import JustPersist
import Synchronization

/// Opening and closing.
extension MigratingDataStore {
    /// Opens both stores, and goes on where the migration was.
    ///
    /// The first time, the new store must be empty. A migration that is finished opens the new store only.
    ///
    /// - Throws: `.targetNotEmpty` if the new store holds items that no migration with this file has copied,
    ///   `.unsupported` if one of the stores cannot be migrated while it is in use, `.alreadyOpen` if the migration is open
    ///   elsewhere, and what the stores throw.
    public func open() throws {
        try life.open {
            try checkStores()
            try makeFolder()
            let lock = try MigrationLock(recordURL)
            let known = try MigrationRecord(at: recordURL)
            if known?.phase == .finished {
                try new.open()
                isSwitched.store(true, ordering: .releasing)
                return course.withLock {
                    $0 = Course(record: MigrationRecord(.finished), lock: lock)
                }
            }
            var opened: [any DataStore] = []
            do {
                for store in [old, new] {
                    try store.open()
                    opened.append(store)
                }
                try begin(known, lock)
            } catch {
                for store in opened { try? store.close() }
                throw error
            }
        }
    }

    private func begin(_ known: MigrationRecord?, _ lock: MigrationLock) throws {
        let record = known ?? MigrationRecord(.copying)
        if known == nil {
            try checkIsEmpty(new)
            try record.write(to: recordURL)
        }
        let isSwitched = record.phase == .switched
        feed.open()
        let mirror = try StoreMirror(
            from: isSwitched ? new : old, to: isSwitched ? old : new, since: record.token,
            telling: feed)
        self.isSwitched.store(isSwitched, ordering: .releasing)
        let worker = MigrationWorker(mirror) { [weak self] progress in self?.note(progress) }
        course.withLock {
            $0 = Course(record: record, lock: lock, mirror: mirror, worker: worker)
        }
        worker.start()
    }

    private func makeFolder() throws(DataStoreError) {
        let folder = recordURL.deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw DataStoreError(fileError: error, in: "open", path: folder.path)
        }
    }

    private func checkStores() throws(DataStoreError) {
        func refuse(_ reason: String) -> DataStoreError {
            DataStoreError(
                .unsupported, in: "open",
                "\(reason) Open the two stores differently, or copy them with a Migration while nobody writes."
            )
        }
        if old === new { throw refuse("Both stores are the same.") }
        for store in [old, new] {
            let (name, capabilities) = (store === old ? "old" : "new", store.capabilities)
            if capabilities.isReadOnly { throw refuse("The \(name) store is read-only.") }
            if capabilities.changeStreams == .none {
                throw refuse("The \(name) store does not tell its changes.")
            }
            if capabilities.threading != .callingThread {
                throw refuse("The \(name) store runs its blocks on the main thread.")
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
                throw DataStoreError(
                    .targetNotEmpty, in: "open",
                    """
                    The new store already holds items, such as the “\(schema.itemTypeKey)” \(item.uniqueToken), and “\(recordURL.path)” \
                    does not say how they came there. Choose an empty store, or the file that was given before.
                    """, itemType: schema.itemTypeKey)
            }
        }
    }

    /// Waits for all blocks, copies what they have changed, and closes both stores.
    public func close() throws {
        try life.close("close") { try closeStores() }
    }

    private func closeStores() throws {
        writers.waitUntilQueueIsEmpty()
        let course = course.withLock { $0 }
        course.worker?.stop()
        _ = course.mirror?.follow()
        var outcome = Result { try keepPosition() }
        feed.close()
        self.course.withLock { course in
            for listener in course.listeners.values { listener.finish() }
            course = Course(record: course.record)
        }
        for store in [old, new] {
            let closing = Result { try store.close() }
            if case .success = outcome { outcome = closing }
        }
        try outcome.get()
    }

    /// Closes both stores, deletes their data, and forgets that there was a migration.
    public func destroy() throws {
        try life.close("destroy", evenIfClosed: true) {
            try closeStores()
            try old.destroy()
            try new.destroy()
            try? FileManager.default.removeItem(at: recordURL)
            isSwitched.store(false, ordering: .releasing)
        }
    }

    /// Writes down up to which place in its history the store in charge is copied.
    func keepPosition() throws {
        let record = course.withLock { course -> MigrationRecord? in
            guard let mirror = course.mirror, course.record.phase != .finished else { return nil }
            var record = course.record
            let position = mirror.position
            // Known again only if the stores are compared.
            record.token = position.isInStep ? position.token : nil
            if record == course.record { return nil }
            course.record = record
            return record
        }
        try record?.write(to: recordURL)
    }
}

extension ItemSchema {
    fileprivate var firstItem: DataStoreRequest {
        let request = allItems
        request.limit = 1
        return request
    }
}
