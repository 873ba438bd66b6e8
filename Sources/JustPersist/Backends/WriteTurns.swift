/// Lets one thread write at a time, each in its turn, and lets waiting threads share a transaction.
///
/// A thread that finds no writer leads a group: it begins the transaction, runs its block, and passes the transaction
/// to the waiting threads, one after the other. Each runs its block on its own thread, in a savepoint. When the
/// transaction has come back, the leader commits, and sends the outcome to the others. The next waiting thread leads
/// the next group.
final class WriteTurns: Sendable {
    private let transaction: (any SharedTransaction)?
    private let state = Locked(State())

    private struct State: Sendable {
        /// Whether a thread is writing.
        var isTaken = false
        /// The thread whose turn it is.
        var thread: UInt?
        /// The threads that wait for a turn, in the order in which they came.
        var waiting: [Writer] = []
        /// The number of later threads that led while the first waiting one was about to.
        var passes = 0
        /// The duration of the last commit.
        var commitTime = Duration.zero

        func refuseNested(_ thread: UInt) throws(DataStoreError) {
            if self.thread == thread { throw .nestedWrite(in: "write") }
        }

        /// Takes the lead for a thread, if no other thread leads.
        mutating func takeLead(_ thread: UInt) -> Bool {
            if isTaken { return false }
            isTaken = true
            self.thread = thread
            return true
        }
    }

    /// The maximum number of turns that running threads may take before a waiting thread that was woken.
    private static let mostPasses = 8

    init(_ transaction: (any SharedTransaction)?) { self.transaction = transaction }

    /// Throws if it is the calling thread's turn already.
    func refuseNested() throws(DataStoreError) {
        let thread = BlockThread.current
        try state.withLock { state throws(DataStoreError) in try state.refuseNested(thread) }
    }

    /// Whether it is the calling thread's turn.
    var isMine: Bool {
        let thread = BlockThread.current
        return state.withLock { $0.thread == thread }
    }

    /// Waits for the thread's turn, calls `body` in it, and returns when its changes are committed.
    ///
    /// Throws the error of `body` or of the commit, and ``DataStoreError/Code/cancelled`` if the thread's task is
    /// cancelled while it waits. Unless the thread `mayPass`, it does not overtake waiting threads.
    func take(mayPass: Bool = true, _ body: (inout WriteTurn) throws -> Void) throws {
        let thread = BlockThread.current
        let writer = try state.withLock { state throws(DataStoreError) -> Writer? in
            try state.refuseNested(thread)
            if state.waiting.isEmpty {
                if state.takeLead(thread) { return nil }
            } else if mayPass, state.passes < Self.mostPasses, state.takeLead(thread) {
                state.passes += 1
                return nil
            }
            let writer = Writer(thread)
            state.waiting.append(writer)
            return writer
        }
        guard let writer else { return try lead(body) }
        while true {
            switch try message(for: writer) {
            case .turn(let group): return try follow(group, as: writer, body)
            case .lead: return try lead(body)
            default: if takeFreeLead(as: writer) { return try lead(body) }
            }
        }
    }

    /// Waits for the next message to a thread that waits for its turn.
    ///
    /// The thread of the main queue does not wait while it runs a block for another thread: the block may need a turn
    /// before this one gets its own.
    private func message(for writer: Writer) throws -> Writer.Message {
        let interruption = MainQueueWait.Interruption(
            begin: { self.leave(writer) }, end: { self.comeBack(writer) })
        return try writer.wait(interruption) {
            if WorkLimit.isCancelled, leave(writer) { try WorkLimit.check() }
        }
    }

    /// Removes a waiting thread; returns `false` if it has its turn already.
    private func leave(_ writer: Writer) -> Bool {
        let (isMine, next) = state.withLock { state -> (Bool, Writer?) in
            guard let place = state.waiting.firstIndex(where: { $0 === writer }) else {
                return (false, nil)
            }
            state.waiting.remove(at: place)
            // It may be the thread that was woken.
            return (true, state.isTaken ? nil : state.waiting.first)
        }
        next?.tellIfFree()
        return isMine
    }

    /// Makes a thread wait again, as the first one.
    private func comeBack(_ writer: Writer) {
        let isFree = state.withLock { state in
            state.waiting.insert(writer, at: 0)
            return !state.isTaken
        }
        if isFree { writer.tellIfFree() }
    }

    /// Takes the lead, which was reported as free, unless another thread has taken it.
    private func takeFreeLead(as writer: Writer) -> Bool {
        state.withLock { state in
            guard let place = state.waiting.firstIndex(where: { $0 === writer }),
                state.takeLead(writer.thread)
            else { return false }
            state.waiting.remove(at: place)
            state.passes = 0
            return true
        }
    }

    // MARK: The leader

    private func lead(_ body: (inout WriteTurn) throws -> Void) throws {
        guard let transaction else {
            defer { passLead() }
            var turn = WriteTurn()
            return try body(&turn)
        }
        let mostTime = max(.milliseconds(4), state.withLock { $0.commitTime } * 8)
        var group: WriteGroup?
        var commitStart: ContinuousClock.Instant?
        let outcome = Result {
            try transaction.commit {
                // Beginning may have taken long, if other processes write, too.
                let end = Surroundings.now + mostTime
                var turn = WriteTurn(transaction, isFirst: true, until: end)
                try body(&turn)
                group = share(transaction, until: end)
                commitStart = Surroundings.now
            }
        }
        passLead(behindCommitOf: commitStart?.duration(to: Surroundings.now))
        var failure: (any Error)?
        if case .failure(let error) = outcome { failure = error }
        for follower in group?.followers ?? [] { follower.tell(.ended(failure)) }
        try outcome.get()
    }

    /// Passes the transaction to the waiting threads, and returns when it has come back; `nil` if none takes part.
    private func share(
        _ transaction: any SharedTransaction, until end: ContinuousClock.Instant
    ) -> WriteGroup? {
        guard transaction.isPassedBetweenThreads, state.withLock({ !$0.waiting.isEmpty }),
            // A thread on the main thread must not wait for later blocks, which may wait for it.
            !MainQueue.isCurrent
        else { return nil }
        let leader = Writer(BlockThread.current)
        let group = WriteGroup(transaction, leader, until: end)
        guard let first = nextFollower(in: group) else { return nil }
        first.tell(.turn(group))
        leader.wait { message in if case .back = message { true } else { false } }
        return group
    }

    /// Gives up the lead, and wakes the first waiting thread.
    private func passLead(behindCommitOf time: Duration? = nil) {
        let (next, mustLead) = state.withLock { state -> (Writer?, Bool) in
            if let time { state.commitTime = time }
            let mustLead = state.passes == Self.mostPasses
            guard mustLead, let next = state.waiting.first else {
                state.isTaken = false
                state.thread = nil
                return (state.waiting.first, false)
            }
            state.waiting.removeFirst()
            state.passes = 0
            state.thread = next.thread
            return (next, true)
        }
        if mustLead { next?.tell(.lead) } else { next?.tellIfFree() }
    }

    // MARK: The others

    private func follow(
        _ group: WriteGroup, as writer: Writer, _ body: (inout WriteTurn) throws -> Void
    ) throws {
        group.followers.append(writer)
        var turn = WriteTurn(group.transaction, isFirst: false, until: group.end)
        let result = Result { try body(&turn) }
        // As in `share`: no block follows a block of the main thread.
        let isLast = MainQueue.isCurrent
        if !isLast, let next = nextFollower(in: group) {
            next.tell(.turn(group))
        } else {
            state.withLock { $0.thread = group.leader.thread }
            group.leader.tell(.back)
        }
        var failure: (any Error)?
        writer.wait { message in
            guard case .ended(let error) = message else { return false }
            failure = error
            return true
        }
        try result.get()
        if let failure { throw failure }
    }

    /// The next thread that takes part, whose turn it is from now on.
    private func nextFollower(in group: WriteGroup) -> Writer? {
        guard group.transaction.hasRoom, Surroundings.now < group.end else { return nil }
        return state.withLock { state in
            guard !state.waiting.isEmpty else { return nil }
            let next = state.waiting.removeFirst()
            state.passes = 0
            state.thread = next.thread
            return next
        }
    }
}

/// A thread's turn to write, in which one or more blocks run.
struct WriteTurn {
    private let transaction: (any SharedTransaction)?
    private let end: ContinuousClock.Instant?
    private var isFirst: Bool
    /// Whether the whole transaction must be rolled back, in which case the error must be rethrown.
    private(set) var isRolledBack = false

    /// A turn that no other thread shares, in which one block runs.
    fileprivate init() {
        transaction = nil
        end = nil
        isFirst = true
    }

    /// A turn in an open transaction.
    ///
    /// `isFirst` if no block has run in it so far.
    fileprivate init(
        _ transaction: any SharedTransaction, isFirst: Bool, until end: ContinuousClock.Instant
    ) {
        self.transaction = transaction
        self.isFirst = isFirst
        self.end = end
    }

    /// Whether another block may run in this turn.
    var hasRoom: Bool {
        guard let transaction, let end else { return false }
        return transaction.hasRoom && Surroundings.now < end
    }

    /// Runs a block, whose changes are undone if it throws.
    mutating func run(_ block: () throws -> Void) throws {
        guard isFirst else {
            try transaction?.withSavepoint(block)
            return
        }
        isFirst = false
        do {
            // Without a savepoint: the block has the transaction to itself.
            try block()
        } catch {
            isRolledBack = true
            throw error
        }
    }
}

/// Blocks of several threads in one transaction.
// Sendable because only the thread whose turn it is uses it, after a message from the previous thread.
private final class WriteGroup: @unchecked Sendable {
    let transaction: any SharedTransaction
    let leader: Writer
    /// The time after which no further block begins.
    let end: ContinuousClock.Instant
    var followers: [Writer] = []

    init(
        _ transaction: any SharedTransaction, _ leader: Writer, until end: ContinuousClock.Instant
    ) {
        self.transaction = transaction
        self.leader = leader
        self.end = end
    }
}

/// A waiting thread, which is woken individually.
private final class Writer: Sendable {
    enum Message: Sendable {
        /// Begin a transaction.
        case lead
        /// No thread leads: begin a transaction, unless another thread is faster.
        case free
        /// Take part in this transaction.
        case turn(WriteGroup)
        /// All other threads have had their turn.
        case back
        /// The transaction has ended.
        case ended((any Error)?)
    }

    let thread: UInt
    private let message = Locked<Message?>(nil)

    init(_ thread: UInt) { self.thread = thread }

    func tell(_ new: Message) { message.change { $0 = new } }

    /// Reports that no thread leads, which may no longer be true: any other message takes precedence.
    func tellIfFree() { message.change { $0 = $0 ?? .free } }

    /// Waits for a message.
    func wait() -> Message { message.wait { $0.take() } }

    /// Waits for a message that ends the wait for a turn; if a task may be cancelled, `poll` is called now and then.
    func wait(
        _ interruption: MainQueueWait.Interruption, polling poll: () throws -> Void
    ) throws -> Message {
        try message.wait(interruption, polling: poll) { $0.take() }
    }

    /// Waits for a certain message.
    func wait(for isWanted: (Message) -> Bool) { while !isWanted(wait()) {} }
}
