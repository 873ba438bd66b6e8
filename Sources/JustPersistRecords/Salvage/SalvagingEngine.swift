package import Foundation
package import JustPersist

/// An engine that can read its own files bit by bit, whatever bytes they contain.
package protocol SalvagingEngine: KeyValueEngine {
    /// An engine of the same kind for a new store in a directory.
    func makeEngine(at directory: URL) -> Self

    /// Gives everything that can be read to `entries`.
    ///
    /// The engine is closed, and its files are only read. The check must not crash, and what it keeps in memory must not
    /// grow with the store.
    ///
    /// - Throws: `.alreadyOpen`, `.lockedByAnotherProcess`, `.storeNotFound`, or a failure of the storage; damage is no
    ///   error.
    func salvage(into entries: SalvagedEntries, _ meter: MaintenanceMeter) throws
}
