package import Foundation
package import JustPersist

/// An engine that can read its own files piece by piece, whatever bytes they contain.
package protocol SalvagingEngine: KeyValueEngine {
    /// An engine of the same kind for a new store in a directory.
    func makeEngine(at directory: URL) -> Self

    /// Passes everything that can be read to `entries`.
    ///
    /// The engine is closed, and its files are only read. Reading must not crash, and its use of memory must not grow
    /// with the store.
    ///
    /// - Throws: `.alreadyOpen`, `.lockedByAnotherProcess`, `.storeNotFound`, or a failure of the storage. Damage does
    ///   not throw.
    func salvage(into entries: SalvagedEntries, _ meter: MaintenanceMeter) throws
}
