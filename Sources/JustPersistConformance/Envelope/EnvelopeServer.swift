public import JustPersist
import JustPersistRecords

/// A server in memory with the limits and faults of a distributed database.
///
/// It serves the ``EnvelopeEngine``s of one process. Use them to find out how a program behaves on such a database, and to
/// develop an engine over one: an engine that keeps within these limits, and reports the same errors, supports a store.
///
/// - A transaction changes a limited number of bytes, lasts for a limited time, and its values have a limited size.
/// - Transactions do not wait for each other. One that began before another one's commit is refused with `.conflict`.
/// - By chance, transactions conflict, connections are lost, and outcomes of commits are not known.
public final class EnvelopeServer: Sendable {
    /// What the server accepts.
    public struct Limits: Sendable, Hashable {
        /// The most bytes of keys and values that a transaction may change.
        public var transactionBytes: Int
        /// The most bytes of a value.
        public var valueBytes: Int
        /// For how many seconds a snapshot can be read, and a transaction committed.
        public var seconds: Double
        /// The most bytes of values in an answer, apart from its first value.
        public var answerBytes: Int
        /// The most entries in a page of a scan.
        public var pageLength: Int

        /// Limits; by default those of a distributed database: 10 MB, 100 kB and 5 seconds.
        public init(
            transactionBytes: Int = 10_000_000, valueBytes: Int = 100_000, seconds: Double = 5,
            answerBytes: Int = 4 << 20, pageLength: Int = 4_096
        ) {
            self.transactionBytes = transactionBytes
            self.valueBytes = valueBytes
            self.seconds = seconds
            self.answerBytes = answerBytes
            self.pageLength = pageLength
        }

        /// The limits that a store over the server declares.
        ///
        /// A record has parts in addition to its values, and a change of an item writes entries in addition to its record.
        public var ofStore: DataStoreLimits {
            var limits = DataStoreLimits.contract
            limits.valueBytes = min(limits.valueBytes, valueBytes / 2)
            limits.writeBlockBytes = min(limits.writeBlockBytes, transactionBytes / 2)
            return limits
        }
    }

    /// In how many of a thousand cases something goes wrong.
    public struct Faults: Sendable, Hashable {
        /// Commits that are refused although nothing has changed.
        public var conflicts: Int
        /// Commits whose outcome is not known to the caller; half of them have happened.
        public var unknownOutcomes: Int
        /// Requests whose connection is lost; nothing is committed.
        public var cuts: Int
        /// Decides in which cases.
        public var seed: UInt64

        /// Faults; by default none.
        public init(
            conflicts: Int = 0, unknownOutcomes: Int = 0, cuts: Int = 0, seed: UInt64 = 1
        ) {
            self.conflicts = conflicts
            self.unknownOutcomes = unknownOutcomes
            self.cuts = cuts
            self.seed = seed
        }
    }

    /// How often something happened.
    public struct Counts: Sendable, Hashable {
        /// Requests and their answers.
        public var roundTrips = 0
        /// Transactions that have changed something.
        public var commits = 0
        /// Transactions that were refused with `.conflict`.
        public var conflicts = 0
        /// Commits with unknown outcome that have happened.
        public var unknownCommitted = 0
        /// Commits with unknown outcome that have not happened.
        public var unknownNotCommitted = 0
        /// Lost connections.
        public var cuts = 0
    }

    /// What the server accepts.
    public let limits: Limits

    private struct State: Sendable {
        var committed = OrderedKeyMap<[UInt8]>()
        var version = 0
        var faults: Faults
        var random: SeededGenerator
        var counts = Counts()
        /// By how much the clock of the server is ahead.
        var passed = Duration.zero
        var outcomes: [String: CommitOutcome] = [:]
        var engines = 0

        mutating func happens(_ perThousand: Int) -> Bool {
            perThousand > 0 && random.int(in: 0..<1_000) < perThousand
        }
    }

    private let state: Locked<State>

    /// An empty server.
    public init(limits: Limits = Limits(), faults: Faults = Faults()) {
        self.limits = limits
        state = Locked(State(faults: faults, random: SeededGenerator(seed: faults.seed)))
    }

    /// What goes wrong from now on.
    public var faults: Faults {
        get { state.withLock { $0.faults } }
        set {
            state.withLock { state in
                if state.faults.seed != newValue.seed {
                    state.random = SeededGenerator(seed: newValue.seed)
                }
                state.faults = newValue
            }
        }
    }

    /// What has happened so far.
    public var counts: Counts { state.withLock { $0.counts } }

    /// Sets the clock of the server forward.
    public func pass(_ duration: Duration) { state.withLock { $0.passed += duration } }

    /// The outcome of a commit, by the token of its error.
    ///
    /// - Throws: `.invalidRequest` if the token is not of such an error.
    public func outcome(of token: CommitToken) throws(DataStoreError) -> CommitOutcome {
        guard let outcome = state.withLock({ $0.outcomes[token.rawValue] }) else {
            throw DataStoreError(
                .invalidRequest, in: "outcome", "The token is not that of a commit of the server.")
        }
        return outcome
    }

    // MARK: Engines

    func connect() { state.withLock { $0.engines += 1 } }

    /// The data is dropped with the last engine.
    func disconnect() {
        state.withLock { state in
            state.engines -= 1
            if state.engines == 0 { Self.erase(&state) }
        }
    }

    func erase() { state.withLock { Self.erase(&$0) } }

    private static func erase(_ state: inout State) {
        state.committed = OrderedKeyMap()
        // A transaction that began before must not commit.
        state.version += 1
    }

    /// A transaction of a client.
    struct Transaction: Sendable {
        let entries: OrderedKeyMap<[UInt8]>
        fileprivate let version: Int
        fileprivate let start: ContinuousClock.Instant
        let operation: String
    }

    func begin(_ operation: String) throws(DataStoreError) -> Transaction {
        let (transaction, wasCut) = state.withLock { state -> (Transaction, Bool) in
            let transaction = Transaction(
                entries: state.committed, version: state.version,
                start: Surroundings.now + state.passed, operation: operation)
            return (transaction, Self.isCut(&state))
        }
        if wasCut { throw Self.lost(operation) }
        return transaction
    }

    /// Notes a request inside a transaction.
    func request(_ transaction: Transaction) throws(DataStoreError) {
        let (wasCut, isTooLate) = state.withLock { state -> (Bool, Bool) in
            let wasCut = Self.isCut(&state)
            return (wasCut, isOver(transaction, state))
        }
        if wasCut { throw Self.lost(transaction.operation) }
        if isTooLate { throw expired(transaction) }
    }

    private static func isCut(_ state: inout State) -> Bool {
        state.counts.roundTrips += 1
        guard state.happens(state.faults.cuts) else { return false }
        state.counts.cuts += 1
        return true
    }

    private func isOver(_ transaction: Transaction, _ state: State) -> Bool {
        (Surroundings.now + state.passed - transaction.start) / .seconds(1) > limits.seconds
    }

    /// Commits changes.
    func commit(
        _ transaction: Transaction, _ changes: OrderedKeyMap<[UInt8]?>
    ) throws(DataStoreError) {
        var bytes = 0
        changes.scanAll { (key, value) in bytes += key.count + (value?.count ?? 0) }
        guard bytes <= limits.transactionBytes else {
            throw DataStoreError(
                .transactionTooLarge, in: "write",
                """
                The block changes \(bytes) bytes, and the server accepts \(limits.transactionBytes) in one transaction. \
                Nothing was changed; change fewer items in a block.
                """)
        }
        enum Result { case committed, cut, over, conflict, unknown(CommitToken) }
        let result = state.withLock { state -> Result in
            if Self.isCut(&state) { return .cut }
            if isOver(transaction, state) { return .over }
            if state.version != transaction.version || state.happens(state.faults.conflicts) {
                state.counts.conflicts += 1
                return .conflict
            }
            let isUnknown = state.happens(state.faults.unknownOutcomes)
            let happens = !isUnknown || state.random.bool()
            if happens {
                var entries = state.committed
                changes.scanAll { (key, value) in
                    if let value {
                        entries.setValue(value, forKey: key)
                    } else {
                        _ = entries.removeValue(forKey: key)
                    }
                }
                state.committed = entries
                state.version += 1
                state.counts.commits += 1
            }
            guard isUnknown else { return .committed }
            if happens {
                state.counts.unknownCommitted += 1
            } else {
                state.counts.unknownNotCommitted += 1
            }
            let token = CommitToken(rawValue: "envelope/\(state.outcomes.count + 1)")
            state.outcomes[token.rawValue] = happens ? .committed : .notCommitted
            return .unknown(token)
        }
        switch result {
        case .committed: return
        case .cut: throw Self.lost("write")
        case .over: throw expired(transaction)
        case .conflict:
            throw DataStoreError(
                .conflict, in: "write",
                """
                Another process has changed what the block has read, or the server could not rule it out. Nothing was \
                changed; run the block again.
                """)
        case .unknown(let token):
            var error = DataStoreError(
                .commitOutcomeUnknown, in: "write",
                "The connection was lost during the commit, which has happened completely or not at all.",
                advice: "outcome(of:) of the server determines it with the error's commitToken.")
            error.commitToken = token
            throw error
        }
    }

    private static func lost(_ operation: String) -> DataStoreError {
        DataStoreError(
            .connectionLost, in: operation,
            "The connection to the server was lost. Nothing was committed; try again.")
    }

    private func expired(_ transaction: Transaction) -> DataStoreError {
        DataStoreError(
            .snapshotExpired, in: transaction.operation,
            """
            The block began more than \(limits.seconds) seconds ago, for which the server keeps its state. Nothing was \
            changed; read less in a block, or run it again.
            """)
    }
}
