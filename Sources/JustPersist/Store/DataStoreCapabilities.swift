/// The features that a store supports: callers can rely on them, and the conformance kit tests them.
///
/// A store refuses everything that it does not declare: operators and child
/// stores with ``DataStoreError/Code/unsupported``, kinds of values with
/// ``DataStoreError/Code/unsupportedValue``, a second process with
/// ``DataStoreError/Code/lockedByAnotherProcess``, writes with ``DataStoreError/Code/readOnly``.
public struct DataStoreCapabilities: Sendable, Hashable {
    /// The events that committed data survives.
    public enum Persistence: Int, Sendable, Comparable, Codable {
        /// The data is lost when the store is closed.
        case none
        /// Closing and reopening.
        case reopening
        /// The death of the process at any moment.
        case processCrash
        /// A loss of power at any moment.
        case powerLoss

        /// Orders from the fewest survived events to the most.
        public static func < (lhs: Persistence, rhs: Persistence) -> Bool {
            lhs.rawValue < rhs.rawValue
        }
    }

    /// The isolation of blocks that run concurrently.
    public enum Isolation: Int, Sendable, Comparable, Codable {
        /// Each block reads one snapshot.
        case snapshot
        /// The result is the same as if whole blocks had run one after the other, in some order.
        case serializable

        /// Orders from the weakest guarantee to the strongest.
        public static func < (lhs: Isolation, rhs: Isolation) -> Bool {
            lhs.rawValue < rhs.rawValue
        }
    }

    /// Blocks begun inside a block of the same store, on its thread.
    public struct Nesting: OptionSet, Sendable, Hashable {
        /// The bits.
        public let rawValue: Int

        /// Kinds of nesting with the given bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// A read block inside a read block sees a snapshot of its own.
        public static let readInRead = Nesting(rawValue: 1)
        /// A read block inside a write block sees the committed state.
        public static let readInWrite = Nesting(rawValue: 2)
        /// A write block inside a read block commits, and the outer snapshot does not move.
        public static let writeInRead = Nesting(rawValue: 4)
    }

    /// Support for child stores, whose changes stay separate until they are merged.
    public enum ChildStores: Int, Sendable, Comparable, Codable {
        /// The store makes no child stores.
        case none
        /// The store makes child stores, which cannot have children.
        case oneLevel
        /// The store makes child stores, which can have children.
        case nested

        /// Orders by the depth of the children.
        public static func < (lhs: ChildStores, rhs: ChildStores) -> Bool {
            lhs.rawValue < rhs.rawValue
        }
    }

    /// Whether the store reports its commits to observers.
    public enum ChangeStreams: Int, Sendable, Comparable, Codable {
        /// No reports.
        case none
        /// Reports to those who observe the store while it is open.
        case live
        /// Reports as with `live`, and a log, so that a token is valid in a later run of the program.
        case logged

        /// Orders from the weakest guarantee to the strongest.
        public static func < (lhs: ChangeStreams, rhs: ChangeStreams) -> Bool {
            lhs.rawValue < rhs.rawValue
        }
    }

    /// The events that committed data survives.
    public var persistence: Persistence
    /// How strictly concurrent blocks are isolated.
    public var isolation: Isolation
    /// Whether read blocks and a write block can run at the same time.
    public var hasConcurrentReads: Bool
    /// The blocks that may begin inside others.
    ///
    /// A write block never begins inside a write block.
    public var nesting: Nesting
    /// Whether the store makes child stores, and to which depth.
    public var childStores: ChildStores
    /// Whether the store has change streams, and whether it keeps a log for them.
    public var changeStreams: ChangeStreams
    /// The thread on which the blocks of `read` and `writeSync` run.
    public var threading: DataStoreThreading
    /// The kinds of values the store keeps.
    public var valueKinds: Set<DataStoreValue.Kind>
    /// The predicate operators it evaluates.
    ///
    /// Every store evaluates the six comparisons, IN and BETWEEN.
    public var predicateOperators: Set<DataStorePredicate.Operator>
    /// The text orders that it sorts by.
    ///
    /// Every store sorts by scalars.
    public var textOrders: Set<TextOrder>
    /// Whether the store refuses a second item with values that are declared unique.
    ///
    /// A store that does not declare it may keep both: it treats a declaration of uniqueness as a hint, as it treats
    /// every other index.
    public var enforcesUniqueness: Bool
    /// Whether the store keeps relationships.
    ///
    /// A store that does not declare it refuses a schema that has some.
    public var hasRelationships: Bool
    /// Whether the store applies a ``SchemaPlan``, and removes types and attributes permanently.
    ///
    /// A store that does not declare it refuses plans.
    public var evolvesSchema: Bool
    /// Whether several processes, with different process IDs, may have the store open at the same time.
    ///
    /// Processes in different containers or PID namespaces may have the same process ID: see <doc:WhatSurvives>.
    public var isSharedBetweenProcesses: Bool
    /// Whether the store refuses all writes.
    public var isReadOnly: Bool
    /// The largest names, values and write blocks that the store accepts.
    public var limits: DataStoreLimits

    /// Capabilities; by default those of a store that keeps the whole contract, is volatile, makes no child stores,
    /// has no change streams and enforces no uniqueness.
    public init(
        persistence: Persistence = .none, isolation: Isolation = .serializable,
        hasConcurrentReads: Bool = true,
        nesting: Nesting = [.readInRead, .readInWrite, .writeInRead],
        childStores: ChildStores = .none, changeStreams: ChangeStreams = .none,
        threading: DataStoreThreading = .callingThread,
        valueKinds: Set<DataStoreValue.Kind> = Set(DataStoreValue.Kind.allCases),
        predicateOperators: Set<DataStorePredicate.Operator> = Set(
            DataStorePredicate.Operator.allCases),
        textOrders: Set<TextOrder> = Set(TextOrder.allCases),
        enforcesUniqueness: Bool = false, hasRelationships: Bool = false,
        evolvesSchema: Bool = false,
        isSharedBetweenProcesses: Bool = false, isReadOnly: Bool = false,
        limits: DataStoreLimits = .contract
    ) {
        self.persistence = persistence
        self.isolation = isolation
        self.hasConcurrentReads = hasConcurrentReads
        self.nesting = nesting
        self.childStores = childStores
        self.changeStreams = changeStreams
        self.threading = threading
        self.valueKinds = valueKinds
        self.predicateOperators = predicateOperators
        self.textOrders = textOrders
        self.enforcesUniqueness = enforcesUniqueness
        self.hasRelationships = hasRelationships
        self.evolvesSchema = evolvesSchema
        self.isSharedBetweenProcesses = isSharedBetweenProcesses
        self.isReadOnly = isReadOnly
        self.limits = limits
    }
}

/// The thread on which the blocks of `read` and `writeSync` run.
///
/// The main thread is the thread that serves the main queue: on Linux, a program with an asynchronous `main` serves it
/// from threads other than the first.
///
/// A call whose block runs there waits until that thread is free. While that thread itself waits in a store (for
/// another writer, for a store to close, for a merge), it runs such blocks during its wait. It cannot do that while it
/// waits elsewhere, for example for a semaphore: then the call returns only after that wait. A write block does not
/// run in the middle of another write block of its store: it waits for the end of that block.
public enum DataStoreThreading: String, Sendable, Hashable, CaseIterable, Codable {
    /// The calling thread.
    case callingThread
    /// The main thread, for calls from any thread.
    case mainThread
    /// The threads of the original libraries, JustPersist and Skopelos: the blocks of `read` run on the main thread,
    /// those of `writeSync` and `write` on the calling thread.
    case originals

    /// Whether the blocks of `read` run on the main thread.
    package var readsOnMainThread: Bool { self != .callingThread }

    /// Whether the blocks of `write` and `writeSync` run on the main thread.
    package var writesOnMainThread: Bool { self == .mainThread }
}

/// The largest names, values and write blocks that a store accepts.
///
/// A store checks them before it writes anything.
public struct DataStoreLimits: Sendable, Hashable {
    /// The longest name of a type or an attribute, in bytes of UTF-8.
    public var nameBytes: Int
    /// The largest value, in bytes as stored.
    public var valueBytes: Int
    /// The most that one write block may change, in bytes as stored.
    public var writeBlockBytes: Int

    /// Limits of a store.
    public init(nameBytes: Int, valueBytes: Int, writeBlockBytes: Int) {
        self.nameBytes = nameBytes
        self.valueBytes = valueBytes
        self.writeBlockBytes = writeBlockBytes
    }

    /// The limits that the contract sets for every backend of this package: 255 bytes, 256 MiB, 1 GiB.
    public static let contract = DataStoreLimits(
        nameBytes: 255, valueBytes: 256 << 20, writeBlockBytes: 1 << 30)
}
