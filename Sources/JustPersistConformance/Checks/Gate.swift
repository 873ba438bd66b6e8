import JustPersist
import JustPersistRecords

/// The condition that a store must meet for a check to apply.
enum Gate: Sendable {
    /// The check applies to all stores.
    case mandatory
    /// The check applies to stores that declare a capability.
    case requires(Requirement)
    /// The check applies to stores that do not declare a capability, and must refuse its use.
    case counterCheck(Requirement)
    /// The check applies to stores over a key-value engine, and examines the engine.
    case engine
    /// The check only reports its findings, and cannot fail.
    case report

    /// The reason that the check does not apply to a store; nil if it applies.
    func reasonNotApplicable(_ store: any DataStore) -> String? {
        let capabilities = store.capabilities
        switch self {
        case .mandatory, .report: return nil
        case .requires(let requirement):
            return requirement.isMet(capabilities)
                ? nil : "the store does not declare \(requirement.name)"
        case .counterCheck(let requirement):
            return requirement.isMet(capabilities) ? "the store declares \(requirement.name)" : nil
        case .engine:
            guard let store = store as? any EngineStore else {
                return "the store is no RecordStore with an engine below it"
            }
            return store.engineBelow.storesRows
                ? "the engine keeps rows, and no keys and values of its own" : nil
        }
    }
}

/// A capability that a store may declare.
struct Requirement: Sendable {
    /// The name of the capability in a sentence: "child stores".
    let name: String
    /// Whether a store's capabilities declare it.
    let isMet: @Sendable (DataStoreCapabilities) -> Bool

    static let persistent = Requirement(name: "persistence beyond reopening") {
        $0.persistence >= .reopening
    }
    static let processCrashSafe = Requirement(name: "persistence beyond a crash of the process") {
        $0.persistence >= .processCrash
    }
    static let powerLossSafe = Requirement(name: "persistence beyond a loss of power") {
        $0.persistence >= .powerLoss
    }
    static let serializable = Requirement(name: "serializable isolation") {
        $0.isolation >= .serializable
    }
    static let concurrentReads = Requirement(name: "concurrent reads") { $0.hasConcurrentReads }
    static let uniqueness = Requirement(name: "uniqueness") { $0.enforcesUniqueness }
    static let changeStreams = Requirement(name: "change streams") { $0.changeStreams >= .live }
    static let relationships = Requirement(name: "relationships") { $0.hasRelationships }
    static let evolution = Requirement(name: "changes of schemas") { $0.evolvesSchema }
    static let multiProcess = Requirement(name: "sharing between processes") {
        $0.isSharedBetweenProcesses
    }
    static let readsOnMainThread = Requirement(name: "read blocks on the main thread") {
        $0.threading.readsOnMainThread
    }
    static let childStores = Requirement(name: "child stores") { $0.childStores >= .oneLevel }
    static let nestedChildStores = Requirement(name: "nested child stores") {
        $0.childStores >= .nested
    }
    /// All kinds of values.
    static let allValueKinds = Requirement(name: "every kind of value") {
        $0.valueKinds.isSuperset(of: DataStoreValue.Kind.allCases)
    }
    /// A text order whose results a check can list explicitly.
    static let writtenTextOrders = Requirement(
        name: "an order of texts without regard to case, or by numbers"
    ) {
        !$0.textOrders.isDisjoint(with: [.caseInsensitive, .numeric])
    }
    /// All text orders.
    static let allTextOrders = Requirement(name: "every order of texts") {
        $0.textOrders.isSuperset(of: TextOrder.allCases)
    }
    /// All predicate operators.
    static let allPredicateOperators = Requirement(name: "every predicate operator") {
        $0.predicateOperators.isSuperset(of: DataStorePredicate.Operator.allCases)
    }

    /// A kind of value.
    static func valueKind(_ kind: DataStoreValue.Kind) -> Requirement {
        Requirement(name: "values of kind \(kind)") { $0.valueKinds.contains(kind) }
    }

    /// All of the given predicate operators.
    static func operators(_ operators: Set<DataStorePredicate.Operator>) -> Requirement {
        let names = operators.map(\.rawValue).sorted().joined(separator: ", ")
        return Requirement(name: "the operators \(names)") {
            $0.predicateOperators.isSuperset(of: operators)
        }
    }

    /// A nesting of blocks.
    static func nesting(_ nesting: DataStoreCapabilities.Nesting, _ name: String) -> Requirement {
        Requirement(name: name) { $0.nesting.isSuperset(of: nesting) }
    }

    /// Both requirements.
    static func && (left: Requirement, right: Requirement) -> Requirement {
        Requirement(name: "\(left.name) and \(right.name)") { left.isMet($0) && right.isMet($0) }
    }
}
