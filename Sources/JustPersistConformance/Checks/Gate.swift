import JustPersist
import JustPersistRecords

/// For which stores a check counts.
enum Gate: Sendable {
    /// For all.
    case mandatory
    /// For stores that declare something.
    case requires(Requirement)
    /// For stores that do not declare it: then it must be refused.
    case counterCheck(Requirement)
    /// For stores that stand on an engine of keys and values, which is looked at below them.
    case engine
    /// For none: what it finds is reported and cannot fail.
    case report

    /// Why a store is not concerned, or nil if it is.
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

/// Something that a store may declare in its capabilities.
struct Requirement: Sendable {
    /// Its name in a sentence: "child stores".
    let name: String
    /// Whether capabilities declare it.
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
    /// Every kind of value there is.
    static let allValueKinds = Requirement(name: "every kind of value") {
        $0.valueKinds.isSuperset(of: DataStoreValue.Kind.allCases)
    }
    /// An order of texts whose outcome a check can write out.
    static let writtenTextOrders = Requirement(
        name: "an order of texts without regard to case, or by numbers"
    ) {
        !$0.textOrders.isDisjoint(with: [.caseInsensitive, .numeric])
    }
    /// Every order of texts there is.
    static let allTextOrders = Requirement(name: "every order of texts") {
        $0.textOrders.isSuperset(of: TextOrder.allCases)
    }
    /// Every predicate operator there is.
    static let allPredicateOperators = Requirement(name: "every predicate operator") {
        $0.predicateOperators.isSuperset(of: DataStorePredicate.Operator.allCases)
    }

    /// A kind of value.
    static func valueKind(_ kind: DataStoreValue.Kind) -> Requirement {
        Requirement(name: "values of kind \(kind)") { $0.valueKinds.contains(kind) }
    }

    /// Predicate operators, all of them.
    static func operators(_ operators: Set<DataStorePredicate.Operator>) -> Requirement {
        let names = operators.map(\.rawValue).sorted().joined(separator: ", ")
        return Requirement(name: "the operators \(names)") {
            $0.predicateOperators.isSuperset(of: operators)
        }
    }

    /// Blocks inside blocks.
    static func nesting(_ nesting: DataStoreCapabilities.Nesting, _ name: String) -> Requirement {
        Requirement(name: name) { $0.nesting.isSuperset(of: nesting) }
    }

    /// Both.
    static func && (left: Requirement, right: Requirement) -> Requirement {
        Requirement(name: "\(left.name) and \(right.name)") { left.isMet($0) && right.isMet($0) }
    }
}
