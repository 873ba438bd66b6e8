import Foundation

/// The stores that are open in this process, identified by their files rather than by their paths.
///
/// An engine claims a store before it opens its files. Opening the files a second time, even unsuccessfully,
/// would release the locks of the first opening. Aliases, symbolic links and hard links all lead to the same
/// claim. You can call every member from any thread.
public enum OpenStores {
    /// The files of one store.
    private struct Holding {
        let directory: StoreDirectory
        var files: [FileIdentity: URL] = [:]

        /// Whether the store has claimed one of these files.
        ///
        /// A file that was replaced or deleted meanwhile is no longer claimed: its identity may have been reused. The
        /// directory's identity cannot be, because the claim keeps the directory open.
        mutating func holds(_ identities: [FileIdentity: URL]) -> Bool {
            for (identity, place) in files where identities[identity] != nil {
                if place == directory.url || Self.mayBe(identity, at: place) { return true }
                files[identity] = nil
            }
            return false
        }

        /// False only if it is certain: a file whose attributes cannot be read is assumed to be unchanged.
        private static func mayBe(_ identity: FileIdentity, at place: URL) -> Bool {
            do throws(DataStoreError) {
                return try FileAttributes(ofItemAt: place)?.identity == identity
            } catch {
                // If a file is in the way, nothing exists at that place.
                return error.code != .notAStore
            }
        }
    }

    private static let claims = Locked<[ObjectIdentifier: Holding]>([:], isProcessWide: true)

    /// Claims a store's directory and those of its files that exist.
    ///
    /// - Throws: `.alreadyOpen` if any of them is claimed.
    public static func claim(
        _ directory: StoreDirectory, files: [String]
    ) throws(DataStoreError) -> Claim {
        let claim = Claim(directory)
        let names = files.map { directory.url.appending(path: $0) }
        try register([directory.url] + names, for: claim)
        return claim
    }

    fileprivate static func register(_ urls: [URL], for claim: Claim) throws(DataStoreError) {
        var identities: [FileIdentity: URL] = [:]
        for url in urls {
            // Links are followed, because the linked file is the one that would be opened.
            let target = url.resolvingSymlinksInPath()
            if let found = try FileAttributes(ofItemAt: target) {
                identities[found.identity] = url == claim.directory.url ? url : target
            }
        }
        let owner = ObjectIdentifier(claim)
        let holder = claims.withLock { claims -> StoreDirectory? in
            for key in claims.keys where key != owner {
                if claims[key]?.holds(identities) == true { return claims[key]?.directory }
            }
            claims[owner, default: Holding(directory: claim.directory)].files
                .merge(identities) { _, new in new }
            return nil
        }
        if let holder {
            throw DataStoreError(
                .alreadyOpen, in: "open",
                """
                The store at “\(claim.directory.path)” is already open in this process, through \
                “\(holder.path)”.
                """, advice: "Use that store, or tear it down first.")
        }
    }

    /// The right of one open store to its files.
    ///
    /// Ended by ``release()``, or when the object is released.
    public final class Claim: Sendable {
        /// The claimed directory.
        public let directory: StoreDirectory
        /// Prevents the directory's identity from being reused if the directory is deleted meanwhile.
        private let handle: FileHandle?

        fileprivate init(_ directory: StoreDirectory) {
            self.directory = directory
            handle = try? FileHandle(forReadingFrom: directory.url)
        }

        deinit { release() }

        /// Also claims files that were created when the store was opened.
        ///
        /// - Throws: `.alreadyOpen` if one is claimed by another store.
        public func add(files: [String]) throws(DataStoreError) {
            try OpenStores.register(files.map { directory.url.appending(path: $0) }, for: self)
        }

        /// Releases the claim.
        ///
        /// Call it after the files are closed. A second call does nothing.
        public func release() {
            OpenStores.claims.withLock { $0[ObjectIdentifier(self)] = nil }
        }
    }
}
