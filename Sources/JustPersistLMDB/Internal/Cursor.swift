import CLMDB

/// A cursor of LMDB; closes itself.
///
/// One of a write transaction must go before the transaction ends.
@safe struct Cursor: ~Copyable {
    private let pointer: OpaquePointer

    /// Takes over an open cursor.
    @unsafe init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe mdb_cursor_close(pointer) }

    /// Moves as `operation` says, sets `key` and `value` to those found, and returns the code of LMDB.
    func move(_ operation: MDB_cursor_op, _ key: inout MDB_val, _ value: inout MDB_val) -> Int32 {
        unsafe mdb_cursor_get(pointer, &key, &value, operation)
    }

    /// Stores a value; fast for ascending keys, since the page of the last one is tried first.
    ///
    /// With `MDB_APPEND` only behind the last key of all, and the pages are filled; `MDB_KEYEXIST`, and nothing is
    /// stored, if the key does not belong there. With `MDB_RESERVE` only the room is made, to which `value` leads then.
    func put(_ value: inout MDB_val, forKey key: inout MDB_val, _ flags: Int32) -> Int32 {
        unsafe mdb_cursor_put(pointer, &key, &value, UInt32(flags))
    }

    /// Deletes the entry that it stands at; the next one then is the one behind.
    func delete() -> Int32 { unsafe mdb_cursor_del(pointer, 0) }
}
