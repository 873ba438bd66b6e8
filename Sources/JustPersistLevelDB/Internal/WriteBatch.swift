import CLevelDB
import JustPersist
import JustPersistRecords

/// Changes that LevelDB applies atomically.
struct WriteBatch: ~Copyable {
    let object = unsafe CObject(
        leveldb_writebatch_create(), destroyedBy: leveldb_writebatch_destroy)

    /// A batch of a block's changes.
    ///
    /// - Throws: `.unsupported` if a key is one of the engine's own.
    init(of changes: OrderedKeyMap<[UInt8]?>) throws(DataStoreError) {
        try changes.scan(.all) { (key, value) throws(DataStoreError) in
            guard !CommitRing.owns(key) else {
                throw DataStoreError(
                    .unsupported, in: "write",
                    "Keys that begin with 0xFF and “JustPersist” belong to the LevelDB engine. "
                        + "Choose other keys.")
            }
            if let value { put(value.span, forKey: key) } else { delete(key) }
            return .next
        }
    }

    func put(_ value: Span<UInt8>, forKey key: Span<UInt8>) {
        unsafe key.withCBytes { key, keyCount in
            unsafe value.withCBytes { value, valueCount in
                unsafe leveldb_writebatch_put(object.pointer, key, keyCount, value, valueCount)
            }
        }
    }

    func delete(_ key: Span<UInt8>) {
        unsafe key.withCBytes { key, count in
            unsafe leveldb_writebatch_delete(object.pointer, key, count)
        }
    }
}
