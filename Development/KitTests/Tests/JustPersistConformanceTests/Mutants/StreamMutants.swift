import Foundation

@testable import JustPersist
@testable import JustPersistConformance

/// Stores that report wrong changes, or report them at a wrong time.
enum StreamMutants {
    static let all: [SabotagedType] = [
        BeginsWithNothing.self, NamesNoAttributes.self, TellsBeforeTheCommit.self,
        TellsWhatIsRolledBack.self, TellsTwice.self, SwapsWhatItTells.self,
        LosesDeletionsThatItJoins.self, WaitsForItsObservers.self, LosesOneAtTheHandover.self,
        TakesAnyToken.self, TellsEverybodyEverything.self, ObservesForEver.self,
        ForgetsUpdates.self, ForgetsItsLog.self, PollsLate.self, StreamsUndeclared.self,
    ]
}

/// An observation that changes each set of another one.
final class FaultyObservation: ChangeObservation {
    private let observation: any ChangeObservation
    private let sets = Locked<[ChangeSet]>([])
    private let change: @Sendable (ChangeSet, _ last: ChangeSet?) -> [ChangeSet]
    private let last = Locked<ChangeSet?>(nil)

    init(
        _ observation: any ChangeObservation,
        _ change: @escaping @Sendable (ChangeSet, _ last: ChangeSet?) -> [ChangeSet]
    ) {
        self.observation = observation
        self.change = change
    }

    func next() async -> ChangeSet? {
        while true {
            let waiting = sets.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            if let waiting { return waiting }
            guard let set = await observation.next() else { return nil }
            let before = last.withLock { $0 }
            last.withLock { $0 = set }
            let told = change(set, before)
            sets.withLock { $0 += told }
        }
    }

    func poll() -> ChangeSet? {
        while true {
            let waiting = sets.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            if let waiting { return waiting }
            guard let set = observation.poll() else { return nil }
            let before = last.withLock { $0 }
            last.withLock { $0 = set }
            let told = change(set, before)
            sets.withLock { $0 += told }
        }
    }
}

/// A store whose observers receive a changed version of each set.
class StreamMutant: SabotagedStore, @unchecked Sendable {
    override func observeChanges(
        _ scope: ChangeScope, since token: ChangeToken?
    ) throws -> any ChangeObservation {
        let store = type(of: self)
        return FaultyObservation(try super.observeChanges(scope, since: token)) {
            store.told($0, behind: $1)
        }
    }

    class func told(_ set: ChangeSet, behind last: ChangeSet?) -> [ChangeSet] { [set] }
}

extension ChangeSet {
    /// The set with the changes of each type replaced.
    func changed(_ change: (ItemChanges) -> ItemChanges) -> ChangeSet {
        ChangeSet(types: types.map(change), isComplete: isComplete, token: token)
    }
}

/// Sends an empty first set to a new observer.
final class BeginsWithNothing: StreamMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["chg/begins-anew"] }

    override class func told(_ set: ChangeSet, behind last: ChangeSet?) -> [ChangeSet] {
        last == nil ? [ChangeSet(types: [], token: set.token)] : [set]
    }
}

/// Reports that an item was changed, and not which attributes.
final class NamesNoAttributes: StreamMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["chg/names-what-changed"] }

    override class func told(_ set: ChangeSet, behind last: ChangeSet?) -> [ChangeSet] {
        [
            set.changed { changes in
                ItemChanges(
                    itemTypeKey: changes.itemTypeKey, inserted: changes.inserted,
                    updated: changes.updated.map { ItemUpdate(id: $0.id, attributes: []) },
                    deleted: changes.deleted, isComplete: changes.isComplete, token: changes.token)
            }
        ]
    }
}

/// Returns changes only at every second poll.
final class PollsLate: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["chg/poll"] }

    private final class LateObservation: ChangeObservation {
        private let observation: any ChangeObservation
        private let polls = Locked(0)

        init(_ observation: any ChangeObservation) { self.observation = observation }

        func next() async -> ChangeSet? { await observation.next() }

        func poll() -> ChangeSet? {
            let number = polls.withLock { polls in
                polls += 1
                return polls
            }
            return number % 2 == 0 ? observation.poll() : nil
        }
    }

    override func observeChanges(
        _ scope: ChangeScope, since token: ChangeToken?
    ) throws -> any ChangeObservation {
        LateObservation(try super.observeChanges(scope, since: token))
    }
}

/// A store that reports its changes itself.
class FeedMutant: SabotagedStore, @unchecked Sendable {
    override func open() throws {
        try super.open()
        memory.feed.open()
    }

    override func close() throws {
        try super.close()
        memory.feed.close()
    }

    override func observeChanges(
        _ scope: ChangeScope, since token: ChangeToken?
    ) throws -> any ChangeObservation {
        try memory.feed.observe(scope, since: token)
    }
}

/// Reports each change as soon as a block has made it.
final class TellsBeforeTheCommit: FeedMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["chg/visible-when-told"] }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.changed = { state in
            memory.feed.publish(CommittedChanges(from: memory.committed, to: state))
        }
        return rules
    }
}

/// Reports the changes of a block that throws.
final class TellsWhatIsRolledBack: FeedMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["chg/rolled-back-tells-nothing"] }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.committed = { before, after in
            memory.feed.publish(CommittedChanges(from: before, to: after))
            return after
        }
        rules.rolledBack = { before, after in
            memory.feed.publish(CommittedChanges(from: before, to: after))
            return before
        }
        return rules
    }
}

/// Reports each third set twice.
final class TellsTwice: StreamMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["chg/once-and-in-order"] }

    override class func told(_ set: ChangeSet, behind last: ChangeSet?) -> [ChangeSet] {
        set.token.position % 3 == 0 ? [set, set] : [set]
    }
}

/// Reports the previous set again before each set.
final class SwapsWhatItTells: StreamMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["chg/once-and-in-order"] }

    override class func told(_ set: ChangeSet, behind last: ChangeSet?) -> [ChangeSet] {
        guard let last, last.isComplete else { return [set] }
        return [set, last]
    }
}

/// Reports no deletions in a set of several commits.
final class LosesDeletionsThatItJoins: StreamMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["chg/joined", "chg/copy"] }

    override class func told(_ set: ChangeSet, behind last: ChangeSet?) -> [ChangeSet] {
        if let last, set.token.position == last.token.position + 1 { return [set] }
        return [
            set.changed { changes in
                ItemChanges(
                    itemTypeKey: changes.itemTypeKey, inserted: changes.inserted,
                    updated: changes.updated, isComplete: changes.isComplete, token: changes.token)
            }
        ]
    }
}

/// Delays writers until all observers have received the earlier commits.
final class WaitsForItsObservers: StreamMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["chg/slow-consumer"] }
    override class var hangs: Bool { true }
    private let behind = Locked<[ObjectIdentifier: Int]>([:])

    override func observeChanges(
        _ scope: ChangeScope, since token: ChangeToken?
    ) throws -> any ChangeObservation {
        let observation = try reference.observeChanges(scope, since: token)
        let observer = ObjectIdentifier(observation)
        behind.withLock { $0[observer] = 0 }
        return FaultyObservation(observation) { [behind] set, _ in
            behind.change { $0[observer] = 0 }
            return [set]
        }
    }

    override func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        behind.wait { $0.values.allSatisfy { $0 < 3 } ? () : nil }
        try super.performWrite(block)
        behind.change { behind in
            for observer in behind.keys { behind[observer, default: 0] += 1 }
        }
    }
}

/// Begins after the first commit that it had to report.
final class LosesOneAtTheHandover: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["chg/token"] }

    override func observeChanges(
        _ scope: ChangeScope, since token: ChangeToken?
    ) throws -> any ChangeObservation {
        let latest = reference.feed.position
        return try super.observeChanges(
            scope,
            since: token.map { token in
                ChangeToken(
                    origin: token.origin,
                    position: token.position < latest ? token.position + 1 : token.position)
            })
    }
}

/// Treats an unknown token as the current one.
final class TakesAnyToken: StreamMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["chg/unknown-token"] }

    override func observeChanges(
        _ scope: ChangeScope, since token: ChangeToken?
    ) throws -> any ChangeObservation {
        let observation = try reference.observeChanges(scope, since: token)
        if token == nil { return observation }
        return FaultyObservation(observation) { set, _ in set.isComplete ? [set] : [] }
    }
}

/// Reports every change to every observer.
final class TellsEverybodyEverything: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["chg/scopes"] }

    override func observeChanges(
        _ scope: ChangeScope, since token: ChangeToken?
    ) throws -> any ChangeObservation {
        try super.observeChanges(.everything, since: token)
    }
}

/// Leaves its observers waiting when it is closed.
final class ObservesForEver: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["chg/ends-with-the-store"] }
    override class var hangs: Bool { true }

    override func observeChanges(
        _ scope: ChangeScope, since token: ChangeToken?
    ) throws -> any ChangeObservation {
        Endless(try super.observeChanges(scope, since: token))
    }

    private final class Endless: ChangeObservation {
        private let observation: any ChangeObservation

        init(_ observation: any ChangeObservation) { self.observation = observation }

        func next() async -> ChangeSet? {
            if let set = await observation.next() { return set }
            try? await Task.sleep(for: .seconds(3_600))
            return nil
        }

        func poll() -> ChangeSet? { observation.poll() }
    }
}

/// Reports insertions and deletions, and no updates.
final class ForgetsUpdates: StreamMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["chg/results"] }
    override class var hangs: Bool { true }

    override class func told(_ set: ChangeSet, behind last: ChangeSet?) -> [ChangeSet] {
        let kept = set.changed { changes in
            ItemChanges(
                itemTypeKey: changes.itemTypeKey, inserted: changes.inserted,
                deleted: changes.deleted, isComplete: changes.isComplete, token: changes.token)
        }
        return kept.isEmpty ? [] : [kept]
    }
}

/// Declares a log, and begins a new history each time that it is opened.
final class ForgetsItsLog: PersistentStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["chg/reopened"] }

    override var capabilities: DataStoreCapabilities {
        var capabilities = super.capabilities
        capabilities.changeStreams = .logged
        return capabilities
    }
}

/// Reports changes without declaring change streams.
final class StreamsUndeclared: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["chg/undeclared-refused"] }

    override var capabilities: DataStoreCapabilities {
        var capabilities = super.capabilities
        capabilities.changeStreams = .none
        return capabilities
    }
}
