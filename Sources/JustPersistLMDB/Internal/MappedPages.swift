import CLMDB
import Foundation
import JustPersist

/// Where the pages of an environment are in memory, to see that each is the one that belongs there.
///
/// Each page of LMDB bears its number, at which LMDB itself never looks: a page that a disk or a copy put in
/// another's place would answer for it.
final class MappedPages: Sendable {
    /// The address of page 0, which LMDB does not tell.
    private let start: UInt
    private let length: UInt
    private let pageSize: UInt
    private let file: FileLength
    private let path: String

    /// What a scan remembers of the pages that it has looked at.
    struct Seen {
        /// The addresses of the file's bytes, as far as they are known to be there.
        fileprivate var bytes: Range<UInt>
        fileprivate var keyPage: UInt = 0
        fileprivate var valuePage: UInt = 0
        fileprivate let pageMask: UInt

        /// Whether a key and its value lie in pages that were looked at.
        @inline(__always)
        @unsafe func covers(_ key: MDB_val, _ value: MDB_val) -> Bool {
            let keyStart = unsafe UInt(bitPattern: key.mv_data)
            let valueStart = unsafe UInt(bitPattern: value.mv_data)
            // An empty value has no bytes to look at, and may begin where its page ends.
            return unsafe keyStart & pageMask == keyPage
                && (value.mv_size == 0 || valueStart & pageMask == valuePage)
                && keyStart >= bytes.lowerBound && keyStart &+ UInt(key.mv_size) <= bytes.upperBound
                && valueStart >= bytes.lowerBound
                && valueStart &+ UInt(value.mv_size) <= bytes.upperBound
        }
    }

    /// What a scan knows before it begins.
    var nothingSeen: Seen {
        Seen(bytes: start..<(start &+ file.knownLength), pageMask: ~(pageSize &- 1))
    }

    /// Throws if a key or its value reaches behind the end of the file.
    @unsafe func checkEnds(
        _ key: MDB_val, _ value: MDB_val, _ seen: inout Seen
    ) throws(DataStoreError) {
        try unsafe checkEnd(key)
        try unsafe checkEnd(value)
        seen.bytes = start..<(start &+ file.knownLength)
    }

    /// Throws if one of the pages bears another page's number.
    @unsafe func checkPages(
        _ key: MDB_val, _ value: MDB_val, _ seen: inout Seen
    ) throws(DataStoreError) {
        try unsafe checkPage(key, unless: &seen.keyPage)
        // A large one has pages of its own.
        try unsafe checkPage(value, unless: &seen.valuePage)
    }

    /// Whether it can be told where the pages are: only if each begins at a multiple of its size, as the system's do.
    static func canBeTold(pageSize: Int) -> Bool { pageSize <= sysconf(Int32(_SC_PAGESIZE)) }

    /// Concludes from the first key in order where the pages are.
    ///
    /// - Parameter leaf: The page in which the tree has that key, whatever number the page itself bears.
    @unsafe init(
        firstKey: MDB_val, leaf: UInt64, length: Int, pageSize: Int, file: FileLength, path: String
    ) {
        self.length = UInt(length)
        self.pageSize = UInt(pageSize)
        self.file = file
        self.path = path
        let page = unsafe UInt(bitPattern: firstKey.mv_data) & ~(UInt(pageSize) - 1)
        start = page &- UInt(leaf) &* UInt(pageSize)
    }

    /// Throws if the bytes of a key or a value reach behind the end of the file, where to touch them ends the process.
    @inline(__always)
    @unsafe func checkEnd(_ bytes: MDB_val) throws(DataStoreError) {
        let offset = unsafe UInt(bitPattern: bytes.mv_data) &- start
        guard offset < length else { return }
        let end = unsafe offset + UInt(bytes.mv_size)
        if !file.reaches(end) { throw cutOff(end) }
    }

    /// Throws if the page with the bytes of a key or a value, which are in the file, bears another page's number.
    ///
    /// Pages that a transaction has changed are elsewhere in memory, and pass.
    @inline(__always)
    @unsafe func checkPage(_ bytes: MDB_val, unless checked: inout UInt) throws(DataStoreError) {
        // An empty value may begin where its page ends.
        guard unsafe bytes.mv_size > 0 else { return }
        let page = unsafe UInt(bitPattern: bytes.mv_data) & ~(pageSize - 1)
        if page == checked { return }
        checked = page
        guard page &- start < length else { return }
        if unsafe Self.number(ofPageAt: page) != (page &- start) / pageSize {
            throw misplaced((page &- start) / pageSize)
        }
    }

    @unsafe func check(_ bytes: MDB_val) throws(DataStoreError) {
        var none: UInt = 0
        try unsafe checkEnd(bytes)
        try unsafe checkPage(bytes, unless: &none)
    }

    /// Throws if another page stands in the place of the root, which may be that of an earlier state: all of the store
    /// would be as it was then, and in order.
    func checkRoot(ofSnapshot number: UInt64) throws(DataStoreError) {
        // SAFETY: the file has its meta pages, or it had not been opened; both are mapped as long as it is open.
        guard
            let meta = unsafe UnsafeRawPointer(bitPattern: start + UInt(number & 1) * pageSize),
            unsafe meta.load(fromByteOffset: MetaPage.transactionOffset, as: UInt64.self) == number
        else { return }
        let root = unsafe meta.load(fromByteOffset: MetaPage.rootOffset, as: UInt64.self)
        // Another process may have committed twice since, which writes over the page.
        guard
            unsafe meta.load(fromByteOffset: MetaPage.transactionOffset, as: UInt64.self) == number,
            root < UInt64(length / pageSize)
        else { return }
        let page = UInt(root) * pageSize
        if !file.reaches(page + pageSize) { throw cutOff(page + pageSize) }
        if unsafe Self.number(ofPageAt: start + page) != UInt(root) { throw misplaced(UInt(root)) }
    }

    // SAFETY: the page holds bytes that LMDB has just given and that are in the file, so it is mapped.
    @unsafe private static func number(ofPageAt address: UInt) -> UInt {
        guard let page = unsafe UnsafeRawPointer(bitPattern: address) else { return 0 }
        return UInt(truncatingIfNeeded: unsafe page.load(as: UInt64.self))
    }

    private func cutOff(_ end: UInt) -> DataStoreError {
        DataStoreError(
            .corrupted, in: "read",
            """
            A record of the store at “\(path)” should reach up to byte \(end) of the file data.mdb, which ends before. \
            Verify the store, and restore it from a copy.
            """)
    }

    private func misplaced(_ number: UInt) -> DataStoreError {
        DataStoreError(
            .corrupted, in: "read",
            """
            Another page stands in the place of page \(number) of the file data.mdb of the store at \
            “\(path)”. Verify the store, and restore it from a copy.
            """)
    }
}
