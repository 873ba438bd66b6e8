import CLMDB
import Foundation
import JustPersist

/// The location of an environment's pages in memory, for checking that each page is in its own place.
///
/// Each page of LMDB contains its number, which LMDB itself never checks: a page that a disk or a copy put in a wrong
/// place would be read as the other page.
final class MappedPages: Sendable {
    /// The address of page 0, which LMDB does not provide.
    private let start: UInt
    private let length: UInt
    private let pageSize: UInt
    private let file: FileLength
    private let path: String

    /// The pages that a scan has checked already.
    struct Seen {
        /// The addresses of the file's bytes that are known to exist.
        fileprivate var bytes: Range<UInt>
        fileprivate var keyPage: UInt = 0
        fileprivate var valuePage: UInt = 0
        fileprivate let pageMask: UInt

        /// Whether a key and its value are in pages that were checked.
        @inline(__always)
        @unsafe func covers(_ key: MDB_val, _ value: MDB_val) -> Bool {
            let keyStart = unsafe UInt(bitPattern: key.mv_data)
            let valueStart = unsafe UInt(bitPattern: value.mv_data)
            // An empty value has no bytes to check, and may begin where its page ends.
            return unsafe keyStart & pageMask == keyPage
                && (value.mv_size == 0 || valueStart & pageMask == valuePage)
                && keyStart >= bytes.lowerBound && keyStart &+ UInt(key.mv_size) <= bytes.upperBound
                && valueStart >= bytes.lowerBound
                && valueStart &+ UInt(value.mv_size) <= bytes.upperBound
        }
    }

    /// The state at the beginning of a scan.
    var nothingSeen: Seen {
        Seen(bytes: start..<(start &+ file.knownLength), pageMask: ~(pageSize &- 1))
    }

    /// Throws if a key or its value extends past the end of the file.
    @unsafe func checkEnds(
        _ key: MDB_val, _ value: MDB_val, _ seen: inout Seen
    ) throws(DataStoreError) {
        try unsafe checkEnd(key)
        try unsafe checkEnd(value)
        seen.bytes = start..<(start &+ file.knownLength)
    }

    /// Throws if one of the pages contains the number of another page.
    @unsafe func checkPages(
        _ key: MDB_val, _ value: MDB_val, _ seen: inout Seen
    ) throws(DataStoreError) {
        try unsafe checkPage(key, unless: &seen.keyPage)
        // A large value has pages of its own.
        try unsafe checkPage(value, unless: &seen.valuePage)
    }

    /// Whether the location of the pages can be determined: only if each begins at a multiple of its size, as the
    /// system's pages do.
    static func canBeTold(pageSize: Int) -> Bool { pageSize <= sysconf(Int32(_SC_PAGESIZE)) }

    /// Determines the location of the pages from the first key in order.
    ///
    /// - Parameter leaf: The page of that key in the tree, even if the page itself contains another number.
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

    /// Throws if the bytes of a key or a value extend past the end of the file, where accessing them ends the process.
    @inline(__always)
    @unsafe func checkEnd(_ bytes: MDB_val) throws(DataStoreError) {
        let offset = unsafe UInt(bitPattern: bytes.mv_data) &- start
        guard offset < length else { return }
        let end = unsafe offset + UInt(bytes.mv_size)
        if !file.reaches(end) { throw cutOff(end) }
    }

    /// Throws if the page of a key or a value contains the number of another page; the bytes must be in the file.
    ///
    /// Pages that a transaction has changed are elsewhere in memory, and are accepted.
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

    /// Throws if another page is in the place of the root, such as the root of an earlier state: the whole store would
    /// then appear in that state, and intact.
    func checkRoot(ofSnapshot number: UInt64) throws(DataStoreError) {
        // SAFETY: a file without its meta pages is not opened; both pages are mapped as long as it is open.
        guard
            let meta = unsafe UnsafeRawPointer(bitPattern: start + UInt(number & 1) * pageSize),
            unsafe meta.load(fromByteOffset: MetaPage.transactionOffset, as: UInt64.self) == number
        else { return }
        let root = unsafe meta.load(fromByteOffset: MetaPage.rootOffset, as: UInt64.self)
        // Another process may have committed twice since, which overwrites the page.
        guard
            unsafe meta.load(fromByteOffset: MetaPage.transactionOffset, as: UInt64.self) == number,
            root < UInt64(length / pageSize)
        else { return }
        let page = UInt(root) * pageSize
        if !file.reaches(page + pageSize) { throw cutOff(page + pageSize) }
        if unsafe Self.number(ofPageAt: start + page) != UInt(root) { throw misplaced(UInt(root)) }
    }

    // SAFETY: LMDB has just returned bytes of the page, and they are in the file, so the page is mapped.
    @unsafe private static func number(ofPageAt address: UInt) -> UInt {
        guard let page = unsafe UnsafeRawPointer(bitPattern: address) else { return 0 }
        return UInt(truncatingIfNeeded: unsafe page.load(as: UInt64.self))
    }

    private func cutOff(_ end: UInt) -> DataStoreError {
        DataStoreError(
            .corrupted, in: "read",
            """
            A record of the store at “\(path)” should reach up to byte \(end) of the file data.mdb, which ends before. \
            Verify the store; \(DataStoreError.rescue)
            """)
    }

    private func misplaced(_ number: UInt) -> DataStoreError {
        DataStoreError(
            .corrupted, in: "read",
            """
            Another page stands in the place of page \(number) of the file data.mdb of the store at \
            “\(path)”. Verify the store; \(DataStoreError.rescue)
            """)
    }
}
