import Foundation
import JustPersist
import JustPersistRecords

/// The size of an environment's address space.
///
/// The maximum is reserved immediately if the system allows it. If it does not, there is a limit that the rest of the
/// program has to share, so the environment gets little space and is reopened with more as the store grows.
struct AddressSpace {
    private let configuration: LMDBConfiguration
    private var attainableSize: Int
    /// Whether a transaction has failed for lack of space since the last growth.
    var hasRunOut = false

    private static let startingSize = 64 << 20

    init(_ configuration: LMDBConfiguration) {
        self.configuration = configuration
        // The size is a multiple of every possible page size.
        attainableSize = configuration.maximumSize & ~0xFFFF
    }

    /// Opens an environment on claimed files.
    func open(_ claim: OpenStores.Claim) throws(DataStoreError) -> Environment {
        do throws(DataStoreError) {
            return try Environment(claim, configuration, reserving: attainableSize)
        } catch {
            guard Self.isOutOfMemory(error) else { throw error }
            return try open(
                claim, reserving: min(Self.startingSize, attainableSize),
                orAtLeast: LMDBConfiguration.leastMaximumSize)
        }
    }

    /// Whether the environment should be reopened with more space before the next change.
    func isTooSmall(_ environment: Environment) -> Bool {
        environment.reservedSize < attainableSize
            && (hasRunOut || environment.usedSize > environment.reservedSize / 2)
    }

    /// Closes an environment in which no transaction is open, and reopens it with more space: at least its previous
    /// size and the size that its file needs.
    ///
    /// If that fails, the environment stays closed; try again with the same one.
    ///
    /// LMDB can change the size in place, but if the system refuses the new size, LMDB has released the old space
    /// already, and the next access to the environment ends the process.
    mutating func enlarge(_ environment: Environment) throws(DataStoreError) -> Environment {
        environment.close()
        try environment.checkPlace(in: "open")
        let factor = hasRunOut ? 8 : 2
        let size = environment.reservedSize
        let wanted = attainableSize / factor > size ? size * factor : max(attainableSize, size)
        let enlarged = try open(environment.claim, reserving: wanted, orAtLeast: size)
        if enlarged.reservedSize < wanted { attainableSize = enlarged.reservedSize }
        hasRunOut = false
        return enlarged
    }

    private func open(
        _ claim: OpenStores.Claim, reserving wanted: Int, orAtLeast least: Int
    ) throws(DataStoreError) -> Environment {
        var size = wanted
        while true {
            do throws(DataStoreError) {
                return try Environment(claim, configuration, reserving: size)
            } catch {
                guard Self.isOutOfMemory(error), size > least else { throw error }
                size = max(size / 2, least)
            }
        }
    }

    private static func isOutOfMemory(_ error: DataStoreError) -> Bool {
        error.engine?.code == Int(ENOMEM)
    }
}
