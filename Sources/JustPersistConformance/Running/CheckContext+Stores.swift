import Foundation
import JustPersist

/// The stores of a check.
extension CheckContext {
    /// An open store without items of the check's types, in the state that the variant requires.
    ///
    /// Each call returns another store, in its own directory.
    func openStore() throws -> any DataStore {
        let store = try makeStore(named: "store-\(UUID().uuidString)")
        try store.open()
        switch variant {
        case .plain: return store
        case .reopened:
            try store.write { db in
                try db.declare(
                    ItemSchema("ConformancePast", attributes: [AttributeSchema("name")]))
                let item = try db.create("ConformancePast")
                item["name"] = .string("before")
            }
            return try reopened(store)
        case .populated:
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        "ConformanceOther",
                        attributes: [AttributeSchema("name"), AttributeSchema("number")]))
                for number in 0..<1_000 {
                    let item = try db.create("ConformanceOther")
                    item["name"] = .string("other \(number)")
                    item["number"] = .int(Int64(number))
                }
            }
            return store
        case .child, .grandchild:
            var child = try store.makeChild()
            try child.open()
            if variant == .grandchild {
                child = try child.makeChild()
                try child.open()
            }
            return child
        }
    }

    /// A closed store that keeps its files in a directory of that name.
    ///
    /// Stores with equal names share a directory.
    func makeStore(named name: String) throws -> any DataStore {
        let store = try watchedStore(in: directory(named: name))
        directories.withLock { $0[ObjectIdentifier(store)] = (store, name) }
        return store
    }

    /// The directory of the store of that name.
    func directory(named name: String) -> URL {
        directory.appending(path: name, directoryHint: .isDirectory)
    }

    /// Makes the check's stores keep a change log.
    ///
    /// If they cannot, ends the check as not applicable.
    func requireChangeLog() throws {
        if capabilities.changeStreams >= .logged { return }
        if try fixture.makeStoreWithChangeLog(in: directory(named: "probe of a log")) == nil {
            try notApplicable("the store does not declare a change log, and its fixture adds none")
        }
        hasChangeLog.withLock { $0 = true }
    }

    /// Ends the check as not applicable if a server keeps the data of the fixture's stores.
    func requireFiles() throws {
        if !fixture.keepsFiles {
            try notApplicable("a server keeps the data, not files in a directory")
        }
    }

    /// A store whose calls and errors the kit records.
    func watchedStore(in directory: URL) throws -> any DataStore {
        let hasLog = hasChangeLog.withLock { $0 }
        let logged = hasLog ? try fixture.makeStoreWithChangeLog(in: directory) : nil
        let store = try logged ?? fixture.makeStore(in: directory)
        store.errorHandler = { [errors] in errors.append($0) }
        return WatchedStore(store, recorder: recorder)
    }

    /// A number of bytes for one value: the given number, or less if the store declares a small limit.
    func withinLimit(_ bytes: Int) -> Int { min(bytes, capabilities.limits.valueBytes / 2) }

    /// Ends the check as not applicable if a write block of the store cannot hold that many small items.
    func requireBlocks(of items: Int) throws {
        let limit = capabilities.limits.writeBlockBytes
        if limit < items * 512 {
            try notApplicable("its write blocks of \(limit) bytes have no room for \(items) items")
        }
    }

    /// Whether a store keeps its data when it is closed and opened again.
    var reopeningKeepsData: Bool {
        capabilities.persistence >= .reopening && !variant.isChild
    }

    /// Closes the store, and opens it again: as a new instance over the same files if the store is persistent, or else
    /// as the same instance.
    func reopened(_ store: any DataStore) throws -> any DataStore {
        try store.close()
        var next = store
        let name = directories.withLock { $0[ObjectIdentifier(store)]?.name }
        if let name, reopeningKeepsData { next = try makeStore(named: name) }
        try next.open()
        return next
    }
}

extension ConformanceFixture {
    /// A store with the kit's error handler.
    static func store(
        in directory: URL, errorHandler: DataStoreErrorHandler?
    ) throws -> any DataStore {
        let store = try makeStore(in: directory)
        store.errorHandler = errorHandler
        return store
    }
}
