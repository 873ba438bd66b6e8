/// Something that workers do with an open store, again and again, while others do other things.
struct Activity: Sendable {
    /// Where its workers run.
    enum Body: Sendable {
        case thread(@Sendable (Worker) throws -> Void)
        case task(@Sendable (Worker) async throws -> Void)
    }

    /// When its workers end.
    enum End: Sendable {
        /// When they are told to stop.
        case whenStopped
        /// By themselves, behind the last change, which is made when all others have stopped.
        case behindTheLastChange
        /// When their tasks are cancelled, which is done last.
        case whenCancelled
    }

    let name: String
    let workers: Int
    let end: End
    let body: Body

    /// Work for threads.
    static func threads(
        _ name: String, _ workers: Int, _ body: @escaping @Sendable (Worker) throws -> Void
    ) -> Activity {
        Activity(name: name, workers: workers, end: .whenStopped, body: .thread(body))
    }

    /// Work for tasks.
    static func tasks(
        _ name: String, _ workers: Int, end: End = .whenStopped,
        _ body: @escaping @Sendable (Worker) async throws -> Void
    ) -> Activity {
        Activity(name: name, workers: workers, end: end, body: .task(body))
    }

    static let all =
        [
            transfers, passingAccounts, regrets, queuedEntries, awaitedTransfers, upserts,
            readers, indexReaders, taskReaders, aggregates, nesting,
            streams, brokenOffStreams, copies, results,
            childTransfers, sharedChildren, mergedPages, pageWriters, pageReaders, childUpserts,
            grains, indexes, verification,
        ]
}
