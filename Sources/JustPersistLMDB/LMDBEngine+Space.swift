package import JustPersistRecords

extension LMDBEngine: SpaceReporting {
    /// Counts the free pages, and lists the readers of all processes.
    package func space() throws -> EngineSpace {
        var space: EngineSpace?
        try read { reader in
            // The engine's readers are of this class.
            guard let transaction = reader as? ReadTransaction else { return }
            space = try transaction.environment.space(seenBy: transaction)
        }
        guard let space else { throw Self.notOpen(url) }
        return space
    }
}
