package import JustPersist
package import JustPersistRecords

package class InMemorySnapshot: KeyValueReader {
    package fileprivate(set) var entries: OrderedKeyMap<[UInt8]>

    package init(of entries: OrderedKeyMap<[UInt8]>) { self.entries = entries }

    package func withValue(
        forKey key: Span<UInt8>, _ body: (Span<UInt8>) throws(DataStoreError) -> Void
    ) throws(DataStoreError) -> Bool {
        guard let value = entries.value(forKey: key) else { return false }
        try body(value.span)
        return true
    }

    package func scan(
        _ range: KeyRange, reversed: Bool,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        let entries = entries
        try entries.scan(range, reversed: reversed) { (key, value) throws(DataStoreError) in
            try body(key, value.span)
        }
    }
}

package final class InMemoryTransaction: InMemorySnapshot, KeyValueWriter {
    private var savepoints = SavepointLog<[UInt8]>()

    package func put(_ value: Span<UInt8>, forKey key: Span<UInt8>) throws(DataStoreError) {
        savepoints.note(key, in: entries)
        entries.setValue([UInt8](copying: value), forKey: key)
    }

    package func delete(_ key: Span<UInt8>) throws(DataStoreError) -> Bool {
        savepoints.note(key, in: entries)
        return entries.removeValue(forKey: key) != nil
    }

    package func withSavepoint(_ body: (any KeyValueWriter) throws -> Void) throws {
        savepoints.begin()
        do {
            try body(self)
        } catch {
            savepoints.revert(&entries)
            throw error
        }
        savepoints.keep()
    }
}
