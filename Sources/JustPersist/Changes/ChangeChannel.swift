import Dispatch

/// What was committed while a store was open once, and who is to hear of it.
///
/// There is one list of what was committed lately, for all: a subscriber has a place in it and no buffer of its own. What is
/// older than the recent commits is joined where no subscriber stands in between, and dropped where none is behind.
/// If that is not enough, it is forgotten which items of the largest types it was.
final class ChangeChannel: Sendable {
    /// Which store it is, in tokens.
    let origin: ItemID
    private let state: Locked<State>
    /// Those who wait are woken here, so that no writer is held up by their number.
    private let queue = DispatchQueue(label: "JustPersist.changes")

    /// The events that are kept at most.
    private static let mostEvents = 1 << 16
    /// The commits that are kept apart, so that a token from between them can be used.
    private static let recentCommits = 1 << 10
    private static let recentEvents = 1 << 14
    /// The runs that were joined and are not joined with each other yet.
    private static let mostRuns = 32
    /// Not more often: to wake a task can cost a writer as much as a short block.
    private static let wakingInterval = DispatchTimeInterval.milliseconds(1)
    /// How long commits are kept for one who has taken a token and begins no stream.
    private static let retention = Duration.seconds(60)

    private struct State {
        /// The last commit that was announced.
        var position: UInt64
        /// What was committed behind ``floor``, in order.
        var segments: [ChangeSegment] = []
        /// The events in them.
        var count = 0
        /// The position from which on nothing was joined or dropped.
        var floor: UInt64
        var subscribers: [Int: Subscriber] = [:]
        var lastNumber = 0
        /// How many of them wait.
        var waiting = 0
        /// Until when to keep what is committed, though nobody is subscribed.
        var retainedUntil: ContinuousClock.Instant?
        var isWaking = false
        /// When they may be woken again.
        var nextWaking = DispatchTime(uptimeNanoseconds: 0)
        var isClosed = false

        /// The task of a subscriber that waits, to be woken.
        mutating func takeWaiting(_ number: Int) -> CheckedContinuation<Void, Never>? {
            guard let continuation = subscribers[number]?.waiting else { return nil }
            subscribers[number]?.waiting = nil
            waiting -= 1
            return continuation
        }
    }

    private struct Subscriber {
        let filter: ChangeFilter
        /// The position up to which it has heard of everything.
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

    /// Whether anybody is subscribed.
    var hasSubscribers: Bool { state.withLock { !$0.subscribers.isEmpty } }

    /// Whether what is committed is kept for anybody.
    var isWanted: Bool {
        state.withLock { !$0.subscribers.isEmpty || $0.retainedUntil != nil }
    }

    // MARK: Who writes

    /// Announces commits, in order, and tells whether anybody listens.
    ///
    /// Those that were announced already are left out.
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
                guard let end = state.retainedUntil, ContinuousClock.now < end else {
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
                queue.asyncAfter(deadline: state.nextWaking) { [weak self] in self?.wake() }
            }
            return true
        }
    }

    /// Goes on to a commit that nobody wants to know of; false if somebody does.
    func skip(to position: UInt64) -> Bool {
        state.withLock { state in
            if state.isClosed { return true }
            guard state.subscribers.isEmpty, state.retainedUntil == nil else { return false }
            state.position = max(state.position, position)
            state.floor = state.position
            return true
        }
    }

    /// Keeps what is committed from now on for a while, though nobody is subscribed.
    func retain() {
        state.withLock { $0.retainedUntil = ContinuousClock.now + Self.retention }
    }

    /// Makes room: see the type.
    private static func trim(_ state: inout State) {
        var recent = state.segments.endIndex
        var events = 0
        while recent > 0, state.segments.endIndex - recent < recentCommits {
            events += state.segments[recent - 1].count
            if events > recentEvents { break }
            recent -= 1
        }
        // Seldom all anew, for that costs as much as there is.
        let older = state.segments[..<recent]
        let joinsAll =
            state.count > mostEvents || older.count(where: \.isJoined) > mostRuns
        let positions = state.subscribers.values.map(\.position).sorted()
        var kept: [ChangeSegment] = []
        var run: [ChangeSegment] = []
        var behind = 0
        func join() {
            if let last = run.last, behind > 0 {
                kept.append(ChangeSegment(run, ChangeFilter(.everything), end: last.end))
            }
            run = []
        }
        for segment in older {
            // How many are behind it: where that changes, somebody stands in between.
            var passed = behind
            while passed < positions.count, positions[passed] < segment.end { passed += 1 }
            if passed != behind {
                join()
                behind = passed
            }
            state.floor = segment.end
            if segment.isJoined, !joinsAll {
                join()
                if behind > 0 { kept.append(segment) }
            } else {
                run.append(segment)
            }
        }
        join()
        kept += state.segments[recent...]
        state.segments = kept
        state.count = kept.reduce(0) { $0 + $1.count }
        // To half, so that it is a while until the next time.
        while state.count > mostEvents / 2 {
            let sizes = state.segments.map(\.largest)
            guard let most = sizes.max(), most > 0, let place = sizes.firstIndex(of: most)
            else { break }
            state.segments[place].forgetLargest()
            state.count -= most
        }
    }

    /// Wakes those who wait and are concerned by what was committed.
    private func wake() {
        let (waiting, segments, position) = state.withLock { state in
            state.isWaking = false
            state.nextWaking = .now() + Self.wakingInterval
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
            // They need not be told of this, and nothing is kept for them.
            for number in idle {
                guard let subscriber = state.subscribers[number], subscriber.waiting != nil
                else { continue }
                state.subscribers[number]?.position = max(subscriber.position, position)
            }
            return concerned.compactMap { state.takeWaiting($0) }
        }
        for continuation in woken { continuation.resume() }
    }

    /// Ends the subscriptions once they have heard of everything that was committed.
    func close() {
        let woken = state.withLock { state in
            state.isClosed = true
            return state.subscribers.keys.compactMap { state.takeWaiting($0) }
        }
        for continuation in woken { continuation.resume() }
    }

    // MARK: Who listens

    /// What a subscriber has to know before it listens.
    enum Beginning: Sendable {
        /// Nothing: it hears of everything behind its token.
        case continuous
        /// What was committed behind its token up to a position, which is not known here.
        case missing(from: UInt64, to: UInt64)
        /// The state behind a position.
        case anew(UInt64)
    }

    /// Begins a subscription; `nil` if the store was closed.
    ///
    /// - Parameter latest: A commit that there is, whether it was announced or not.
    func subscribe(
        _ filter: ChangeFilter, since token: ChangeToken?, latest: UInt64
    ) -> (number: Int, Beginning)? {
        state.withLock { state in
            if state.isClosed { return nil }
            state.lastNumber += 1
            var position = state.position
            var beginning = Beginning.anew(position)
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

    /// What a subscriber has not heard of, once there is anything; `nil` at the end of the subscription.
    ///
    /// - Parameter lastRead: The last commit of which the subscriber may have read the state anew: an item that was there then,
    ///   and is not any more, is told as deleted.
    func take(_ number: Int, lastRead: UInt64) async -> ChangeSegment? {
        await withTaskCancellationHandler {
            while true {
                switch pending(number, lastRead: lastRead) {
                case .ended: return nil
                // It may be that nothing is left of them.
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

    /// What ``take(_:lastRead:)`` would give without waiting; `nil` if there is nothing.
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
            // The last of them, for most subscribers are behind by one or two.
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
            // Not under the lock, for it costs as much as there is.
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
