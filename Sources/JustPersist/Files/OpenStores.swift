import Foundation

/// The stores that are open in this process, each known by its files rather than by its path.
///
/// An engine claims a store before it opens the files: opening them a second time, even without
/// success, would take the first one's locks away. Aliases, symbolic links and hard links all lead
/// to the same claim. All calls are safe from any thread.
public enum OpenStores {
    private static let claims = Locked<[ObjectIdentifier: Set<FileIdentity>]>([:])

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
        var identities: Set<FileIdentity> = []
        for url in urls {
            // Through a link, for the file it leads to is the one that would be opened.
            let target = url.resolvingSymlinksInPath()
            if let found = try FileAttributes(ofItemAt: target) {
                identities.insert(found.identity)
            }
        }
        let owner = ObjectIdentifier(claim)
        let isFree = claims.withLock { claims in
            let isTaken = claims.contains { key, taken in
                key != owner && !taken.isDisjoint(with: identities)
            }
            if !isTaken { claims[owner, default: []].formUnion(identities) }
            return !isTaken
        }
        guard isFree else {
            throw DataStoreError(
                .alreadyOpen, in: "open",
                "The store at “\(claim.directory.path)” is already open in this process, perhaps "
                    + "through another path. Use that store, or tear it down first.")
        }
    }

    /// The right of one open store to its files.
    ///
    /// Given up by ``release()``, or when the object is let go.
    public final class Claim: Sendable {
        /// The claimed directory.
        public let directory: StoreDirectory
        /// Keeps the directory's identity from being given to another one, should it be deleted meanwhile.
        private let handle: FileHandle?

        fileprivate init(_ directory: StoreDirectory) {
            self.directory = directory
            handle = try? FileHandle(forReadingFrom: directory.url)
        }

        deinit { release() }

        /// Claims files too that came to be only when the store was opened.
        ///
        /// - Throws: `.alreadyOpen` if one is claimed by another store.
        public func add(files: [String]) throws(DataStoreError) {
            try OpenStores.register(files.map { directory.url.appending(path: $0) }, for: self)
        }

        /// Gives the files up.
        ///
        /// Call it after they are closed. Harmless a second time.
        public func release() {
            OpenStores.claims.withLock { $0[ObjectIdentifier(self)] = nil }
        }
    }
}
