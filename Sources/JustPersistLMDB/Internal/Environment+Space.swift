import CLMDB
import JustPersist
import JustPersistRecords

extension Environment {
    /// The table of free pages, which LMDB keeps under the number of the commit that has freed them.
    private static let freeTable: MDB_dbi = 0

    /// How the pages are used.
    func space(seenBy transaction: ReadTransaction) throws(DataStoreError) -> EngineSpace {
        let latest = transaction.number ?? 0
        let readers = readers(latest: latest)
        // LMDB uses the pages of a commit again when all readers see a later one. This transaction ends soon.
        let age = readers.map(\.age).max() ?? 0
        let oldest = age == 0 ? .max : latest - age
        var (free, pinned) = (0, 0)
        var opened: OpaquePointer?
        let code = try unsafe mdb_cursor_open(transaction.pointer(), Self.freeTable, &opened)
        try check(code, in: "read")
        if let opened = unsafe opened {
            let cursor = unsafe Cursor(owning: opened)
            var key = unsafe MDB_val()
            var value = unsafe MDB_val()
            while unsafe cursor.move(MDB_NEXT, &key, &value) == MDB_SUCCESS {
                // LMDB keeps a commit's number in the key, and the number of pages at the start of the value.
                guard let number = unsafe Self.number(in: key),
                    let count = unsafe Self.number(in: value)
                else { continue }
                free += Int(clamping: count)
                if number >= oldest { pinned += Int(clamping: count) }
            }
        }
        return EngineSpace(
            pageSize: pageSize, pages: usedSize / pageSize, freePages: free, pinnedPages: pinned,
            readers: readers)
    }

    /// The number at the start of a value of LMDB.
    @unsafe private static func number(in value: MDB_val) -> UInt64? {
        guard let start = unsafe value.mv_data, unsafe value.mv_size >= MemoryLayout<UInt>.size
        else { return nil }
        // SAFETY: the bytes stay valid until the cursor moves.
        return unsafe UInt64(start.loadUnaligned(as: UInt.self))
    }

    /// The read transactions of all processes, from the reader table.
    private func readers(latest: UInt64) -> [EngineSpace.Reader] {
        guard let pointer = unsafe pointer else { return [] }
        var text = ""
        // SAFETY: the callback runs only during the call, in which `text` stays in place.
        unsafe withUnsafeMutablePointer(to: &text) { place in
            _ = unsafe mdb_reader_list(
                pointer,
                { line, context in
                    guard let line = unsafe line, let context = unsafe context else { return 0 }
                    unsafe context.assumingMemoryBound(to: String.self).pointee += String(
                        cString: line)
                    return 0
                }, place)
        }
        return text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            // A slot without a transaction has “-” instead of a number.
            guard words.count == 3, let process = Int(words[0]), let number = UInt64(words[2])
            else { return nil }
            return EngineSpace.Reader(process: process, age: latest - min(latest, number))
        }
    }
}
