/// The commits of one open period of a store, and the subscribers that are to receive them.
///
/// There is one list of recent commits for all subscribers; a subscriber has a position in it and no buffer of its own.
/// Commits older than the recent ones are joined if no subscriber is positioned between them, and dropped if every
/// subscriber has passed them. If that is not enough, the items of the types with most changes are forgotten.
final class ChangeChannel: Sendable {
    /// The store's id in tokens.
    let origin: ItemID
    private let state: Locked<State>
    /// The queue on which waiting subscribers are woken, so that a writer does not wait for them.
    private let queue = SerialQueue(label: "JustPersist.changes")

    /// The most events that are kept.
    private static let mostEvents = 1 << 16
    /// The most commits that are kept separately, so that a token between two of them can be used.
    private static let recentCommits = 1 << 10
    private static let recentEvents = 1 << 14
    /// The most joined runs that are kept before they are joined with each other.
    private static let mostRuns = 32
    /// The least time between two wakings: waking a task can cost a writer as much as a short block.
    private static let wakingInterval = Duration.milliseconds(1)
    /// How long commits are kept for a caller that has taken a token and not begun a stream.
    private static let retention = Duration.seconds(60)

    private struct State {
        /// The last commit that was announced.
        var position: UInt64
        /// The commits after ``floor``, in order.
        var segments: [ChangeSegment] = []
        /// The events in them.
        var count = 0
        /// The position after which no commits were joined or dropped.
        var floor: UInt64
        var subscribers: [Int: Subscriber] = [:]
        var lastNumber = 0
        /// The number of subscribers that wait.
        var waiting = 0
        /// The time until which commits are kept although there is no subscriber.
        var retainedUntil: ContinuousClock.Instant?
        var isWaking = false
        /// The time of the next waking.
        var nextWaking: ContinuousClock.Instant?
        var isClosed = false

        /// Removes and returns the task of a subscriber that waits.
        mutating func takeWaiting(_ number: Int) -> CheckedContinuation<Void, Never>? {
            guard let continuation = subscribers[number]?.waiting else { return nil }
            subscribers[number]?.waiting = nil
            waiting -= 1
            return continuation
        }
    }

    private struct Subscriber {
        let filter: ChangeFilter
        /// The position up to which the subscriber has received everything.
        var position: UInt64
        /// The task, if it waits.
        var waiting: CheckedContinuation<Void, Never>?
        var isCancelled = false
    }

    init(origin: ItemID, position: UInt64) {
        self.origin = origin
        state = Locked(State(position: position, floor: position))
    }

    /// The last commit that was announced.
    var position: UInt64 { state.withLock { $0.position } }

    /// Whether there are subscribers.
    var hasSubscribers: Bool { state.withLock { !$0.subscribers.isEmpty } }

    /// Whether commits are kept.
    var isWanted: Bool {
        state.withLock { !$0.subscribers.isEmpty || $0.retainedUntil != nil }
    }

    // MARK: Writers

    /// Announces commits, in order, and returns whether there are subscribers.
    ///
    /// Commits that were announced before are left out.
    func publish(_ segments: [ChangeSegment]) -> Bool {
        state.withLock { state in
            if state.isClosed { return false }
            for segment in segments where segment.end > state.position {
                state.position = segment.end
                if segment.isComplete, segment.changes.isEmpty { continue }
                state.segments.append(segment)
                state.count += segment.count
            }
            if state.subscribers.isEmpty {
                guard let end = state.retainedUntil, Surroundings.now < end else {
                    state.retainedUntil = nil
                    state.segments = []
                    state.count = 0
                    state.floor = state.position
                    return false
                }
            }
            if state.count > Self.mostEvents || state.segments.count > 2 * Self.recentCommits {
                Self.trim(&state)
            }
            if !state.isWaking, state.waiting > 0 {
                state.isWaking = true
                let delay = state.nextWaking.map { $0 - Surroundings.now } ?? .zero
                queue.async(after: delay) { [weak self] in self?.wake() }
            }
            return true
        }
    }

    /// Advances to a commit whose changes were not noted.
    ///
    /// Returns false if a subscriber may need them.
    func skip(to position: UInt64) -> Bool {
        state.withLock { state in
            if state.isClosed { return true }
            guard state.subscribers.isEmpty, state.retainedUntil == nil else { return false }
            state.position = max(state.position, position)
            state.floor = state.position
            return true
        }
    }

    /// Keeps commits from now on for a while, although there is no subscriber.
    func retain() {
        state.withLock { $0.retainedUntil = Surroundings.now + Self.retention }
    }

    /// Joins, drops and forgets commits, as described at the type.
    private static func trim(_ state: inout State) {
        var recent = state.segments.endIndex
        var events = 0
        while recent > 0, state.segments.endIndex - recent < recentCommits {
            events += state.segments[recent - 1].count
            if events > recentEvents { break }
            recent -= 1
        }
        // Done rarely, because the cost of rebuilding the list is proportional to its length.
        let older = state.segments[..<recent]
        let joinsAll =
            state.count > mostEvents || older.count(where: \.isJoined) > mostRuns
        let positions = state.subscribers.values.map(\.position).sorted()
        var kept: [ChangeSegment] = []
        var run: [ChangeSegment] = []
        var lagging = 0
        func join() {
            if let last = run.last, lagging > 0 {
                kept.append(ChangeSegment(run, ChangeFilter(.everything), end: last.end))
            }
            run = []
        }
        for segment in older {
            // The number of subscribers that have not passed this run. If it differs between two runs, a subscriber is
            // positioned between them.
            var passed = lagging
            while passed < positions.count, positions[passed] < segment.end { passed += 1 }
            if passed != lagging {
                join()
                lagging = passed
            }
            state.floor = segment.end
            if segment.isJoined, !joinsAll {
                join()
                if lagging > 0 { kept.append(segment) }
            } else {
                run.append(segment)
            }
        }
        join()
        kept += state.segments[recent...]
        state.segments = kept
        state.count = kept.reduce(0) { $0 + $1.count }
        // Trimmed to half, so that the next trim is not needed soon.
        while state.count > mostEvents / 2 {
            let sizes = state.segments.map(\.largest)
            guard let most = sizes.max(), most > 0, let place = sizes.firstIndex(of: most)
            else { break }
            state.segments[place].forgetLargest()
            state.count -= most
        }
    }

    /// Wakes the waiting subscribers that a commit concerns.
    private func wake() {
        let (waiting, segments, position) = state.withLock { state in
            state.isWaking = false
            state.nextWaking = Surroundings.now + Self.wakingInterval
            return (
                state.subscribers.filter { $0.value.waiting != nil }, state.segments, state.position
            )
        }
        var concerned: [Int] = []
        var idle: [Int] = []
        for (number, subscriber) in waiting {
            let isConcerned = segments.reversed().prefix { $0.end > subscriber.position }
                .contains { subscriber.filter.concerns($0) }
            if isConcerned { concerned.append(number) } else { idle.append(number) }
        }
        let woken = state.withLock { state in
            // This commit does not concern them, and need not be kept for them.
            for number in idle {
                guard let subscriber = state.subscribers[number], subscriber.waiting != nil
                else { continue }
                state.subscribers[number]?.position = max(subscriber.position, position)
            }
            return concerned.compactMap { state.takeWaiting($0) }
        }
        for continuation in woken { continuation.resume() }
    }

    /// Ends each subscription once it has received every commit.
    func close() {
        let woken = state.withLock { state in
            state.isClosed = true
            return state.subscribers.keys.compactMap { state.takeWaiting($0) }
        }
        for continuation in woken { continuation.resume() }
    }

    // MARK: Subscribers

    /// The first thing that a subscriber receives.
    enum Beginning: Sendable {
        /// Nothing: the commits after its token are all kept.
        case continuous
        /// The commits after its token up to a position, which are not kept here.
        case missing(from: UInt64, to: UInt64)
        /// A request to read the state as of a position.
        case reset(UInt64)
    }

    /// Begins a subscription; `nil` if the store was closed.
    ///
    /// - Parameter latest: The number of an existing commit, announced or not.
    func subscribe(
        _ filter: ChangeFilter, since token: ChangeToken?, latest: UInt64
    ) -> (number: Int, Beginning)? {
        state.withLock { state in
            if state.isClosed { return nil }
            state.lastNumber += 1
            var position = state.position
            var beginning = Beginning.reset(position)
            if let token, token.origin == origin, token.position <= max(position, latest) {
                if token.position >= state.floor {
                    position = token.position
                    beginning = .continuous
                } else {
                    beginning = .missing(from: token.position, to: position)
                }
            }
            state.subscribers[state.lastNumber] = Subscriber(filter: filter, position: position)
            return (state.lastNumber, beginning)
        }
    }

    /// Ends a subscription.
    func unsubscribe(_ number: Int) {
        let waiting = state.withLock { state in
            defer { state.subscribers[number] = nil }
            return state.takeWaiting(number)
        }
        waiting?.resume()
    }

    /// The changes that a subscriber has not received, once there are any; `nil` at the end of the subscription.
    ///
    /// - Parameter lastRead: The last commit that the subscriber may have seen when it read the state again. An item
    ///   that existed at that commit and was deleted since is reported as deleted.
    func take(_ number: Int, lastRead: UInt64) async -> ChangeSegment? {
        await withTaskCancellationHandler {
            while true {
                switch pending(number, lastRead: lastRead) {
                case .ended: return nil
                // The changes may have cancelled each other out.
                case .some(let changes): if !changes.isEmpty { return changes }
                case .none: await wait(number)
                }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                state.subscribers[number]?.isCancelled = true
                return state.takeWaiting(number)
            }
            waiting?.resume()
        }
    }

    /// The result of ``take(_:lastRead:)`` without waiting; `nil` if there are no changes.
    func poll(_ number: Int, lastRead: UInt64) -> ChangeSegment? {
        guard case .some(let changes) = pending(number, lastRead: lastRead), !changes.isEmpty
        else { return nil }
        return changes
    }

    private enum Pending {
        case none
        case some(ChangeSegment)
        case ended
    }

    private func pending(_ number: Int, lastRead: UInt64) -> Pending {
        enum Found {
            case segments([ChangeSegment], ChangeFilter, start: UInt64, end: UInt64)
            case nothing(isEnded: Bool)
        }
        let found = state.withLock { state -> Found in
            guard let subscriber = state.subscribers[number], !subscriber.isCancelled,
                subscriber.waiting == nil
            else { return .nothing(isEnded: true) }
            guard subscriber.position < state.position else {
                return .nothing(isEnded: state.isClosed)
            }
            // From the end, because most subscribers lag by one or two commits.
            var first = state.segments.endIndex
            while first > 0, state.segments[first - 1].end > subscriber.position { first -= 1 }
            state.subscribers[number]?.position = state.position
            return .segments(
                Array(state.segments[first...]), subscriber.filter, start: subscriber.position,
                end: state.position)
        }
        switch found {
        case .nothing(let isEnded): return isEnded ? .ended : .none
        case .segments(let segments, let filter, let start, let end):
            // Not under the lock, because the cost grows with the number of changes.
            var changes = ChangeSegment(segments, filter, end: end)
            changes.settle(passedAreDeleted: filter.namesEveryDeletion || start < lastRead)
            return .some(changes)
        }
    }

    private func wait(_ number: Int) async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                guard let subscriber = state.subscribers[number], !subscriber.isCancelled,
                    !state.isClosed, subscriber.position >= state.position,
                    subscriber.waiting == nil
                else { return false }
                state.subscribers[number]?.waiting = continuation
                state.waiting += 1
                return true
            }
            if !isIdle { continuation.resume() }
        }
    }
}
