/// Lets one thread write at a time, each in its turn, and lets those who wait share a transaction.
///
/// A thread that finds nobody writing leads a group: it begins the transaction, runs its block, and passes the transaction
/// on to the threads that wait, one after the other. Each runs its block on its own thread, in a savepoint. When the
/// transaction has come back the leader commits, and tells the others the outcome. The next thread that waits leads the
/// next group.
final class WriteTurns: Sendable {
    private let transaction: (any SharedTransaction)?
    private let state = Locked(State())

    private struct State: Sendable {
        /// Whether somebody writes.
        var isTaken = false
        /// The thread whose turn it is.
        var thread: UInt?
        /// Those who wait for a turn, in the order in which they came.
        var waiting: [Writer] = []
        /// How often somebody who came later led, while the first of those was about to.
        var passes = 0
        /// How long the last commit took.
        var commitTime = Duration.zero

        func refuseNested(_ thread: UInt) throws(DataStoreError) {
            if self.thread == thread { throw .nestedWrite(in: "write") }
        }

        /// Takes the lead for a thread, if nobody has it.
        mutating func takeLead(_ thread: UInt) -> Bool {
            if isTaken { return false }
            isTaken = true
            self.thread = thread
            return true
        }
    }

    /// Until a thread that waits has woken up, one that runs can write several times; not more often than this.
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

    /// Waits for the thread's turn, calls `body` in it, and returns when what it did is committed.
    ///
    /// Throws what `body` or the commit throws, and ``DataStoreError/Code/cancelled`` if the thread's task is cancelled
    /// while it waits. Unless the thread `mayPass`, it does not come before those who wait.
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
    /// While the thread of the main queue runs a block for another thread, it does not wait: the block may need a turn
    /// before it gets its own.
    private func message(for writer: Writer) throws -> Writer.Message {
        let interruption = MainQueueWait.Interruption(
            begin: { self.leave(writer) }, end: { self.comeBack(writer) })
        return try writer.wait(interruption) {
            if WorkLimit.isCancelled, leave(writer) { try WorkLimit.check() }
        }
    }

    /// Takes a thread off those who wait; `false` if it has its turn by now.
    private func leave(_ writer: Writer) -> Bool {
        let (isMine, next) = state.withLock { state -> (Bool, Writer?) in
            guard let place = state.waiting.firstIndex(where: { $0 === writer }) else {
                return (false, nil)
            }
            state.waiting.remove(at: place)
            // It may be the one that was woken.
            return (true, state.isTaken ? nil : state.waiting.first)
        }
        next?.tellIfFree()
        return isMine
    }

    /// Lets a thread wait again, as the next one.
    private func comeBack(_ writer: Writer) {
        let isFree = state.withLock { state in
            state.waiting.insert(writer, at: 0)
            return !state.isTaken
        }
        if isFree { writer.tellIfFree() }
    }

    /// Takes the lead, which is said to be free, unless another thread was faster.
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
                // To begin may have taken long, if other processes write too.
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

    /// Passes the transaction to those who wait, and returns when it has come back; `nil` if nobody takes part.
    private func share(
        _ transaction: any SharedTransaction, until end: ContinuousClock.Instant
    ) -> WriteGroup? {
        guard transaction.isPassedBetweenThreads, state.withLock({ !$0.waiting.isEmpty }),
            // Those who run on the main thread must not wait for blocks behind theirs, which may wait for it.
            !MainQueue.isCurrent
        else { return nil }
        let leader = Writer(BlockThread.current)
        let group = WriteGroup(transaction, leader, until: end)
        guard let first = nextFollower(in: group) else { return nil }
        first.tell(.turn(group))
        leader.wait { message in if case .back = message { true } else { false } }
        return group
    }

    /// Gives up the lead, and wakes the first who waits.
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
        // As in `share`: nobody behind a block of the main thread.
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

    /// The next one who takes part, whose turn it is from now on.
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

/// A thread's turn to write, in which it runs one block or more.
struct WriteTurn {
    private let transaction: (any SharedTransaction)?
    private let end: ContinuousClock.Instant?
    private var isFirst: Bool
    /// Whether the whole transaction has to be rolled back: the error must be thrown on then.
    private(set) var isRolledBack = false

    /// A turn of which nobody else takes part, and in which one block runs.
    fileprivate init() {
        transaction = nil
        end = nil
        isFirst = true
    }

    /// A turn in an open transaction.
    ///
    /// `isFirst` if no block ran in it so far.
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

    /// Runs a block; if it throws, nothing remains of it.
    mutating func run(_ block: () throws -> Void) throws {
        guard isFirst else {
            try transaction?.withSavepoint(block)
            return
        }
        isFirst = false
        do {
            // Without a savepoint: what throws here has the transaction to itself.
            try block()
        } catch {
            isRolledBack = true
            throw error
        }
    }
}

/// Blocks of several threads in one transaction.
// Sendable because only the thread uses it whose turn it is, which the thread before it has told.
private final class WriteGroup: @unchecked Sendable {
    let transaction: any SharedTransaction
    let leader: Writer
    /// When the last block may begin.
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

/// A thread that waits, and is woken alone.
private final class Writer: Sendable {
    enum Message: Sendable {
        /// Begin a transaction.
        case lead
        /// Nobody leads: begin a transaction, unless another thread is faster.
        case free
        /// Take part in this one.
        case turn(WriteGroup)
        /// Everybody has had a turn.
        case back
        /// The transaction has ended.
        case ended((any Error)?)
    }

    let thread: UInt
    private let message = Locked<Message?>(nil)

    init(_ thread: UInt) { self.thread = thread }

    func tell(_ new: Message) { message.change { $0 = new } }

    /// Tells that nobody leads, which may be wrong by now: any other message has more weight.
    func tellIfFree() { message.change { $0 = $0 ?? .free } }

    /// Waits for a message.
    func wait() -> Message { message.wait { $0.take() } }

    /// The same for one that ends the wait for a turn; where a task may be cancelled, `poll` is called now and then.
    func wait(
        _ interruption: MainQueueWait.Interruption, polling poll: () throws -> Void
    ) throws -> Message {
        try message.wait(interruption, polling: poll) { $0.take() }
    }

    /// Waits until a message is the one that is wanted.
    func wait(for isWanted: (Message) -> Bool) { while !isWanted(wait()) {} }
}
