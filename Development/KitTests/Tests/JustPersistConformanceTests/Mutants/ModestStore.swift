import Foundation

@testable import JustPersist
@testable import JustPersistConformance

/// No fault, and few capabilities: small limits, the operators that every store has, no conditions in Swift code,
/// and a handful of readers at a time, for which the others wait.
final class ModestStore: QueryMutant, Fault, @unchecked Sendable {
    override class var timeout: Double { 60 }
    override class var limits: DataStoreLimits {
        DataStoreLimits(nameBytes: 64, valueBytes: 64 << 10, writeBlockBytes: 1 << 20)
    }

    private static let operators: Set<DataStorePredicate.Operator> = [
        .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .in, .between,
    ]
    /// How often each thread is inside a read block.
    private let readers = Locked<[ObjectIdentifier: Int]>([:])

    override var capabilities: DataStoreCapabilities {
        var capabilities = super.capabilities
        capabilities.predicateOperators = Self.operators
        capabilities.textOrders = [.scalars]
        capabilities.changeStreams = .none
        return capabilities
    }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.token = { _ in nil }
        return rules
    }

    override func observeChanges(
        _ scope: ChangeScope, since token: ChangeToken?
    ) throws -> any ChangeObservation {
        throw DataStoreError.changeStreamsUnsupported(in: "observeChanges")
    }

    override class func validate(
        _ request: DataStoreRequest, _ state: ReferenceState
    ) throws(DataStoreError) {
        try request.validate(
            operators: operators, textOrders: [.scalars],
            stored: state.type(of: request.type)?.schema)
        if request.predicate?.evaluations.isEmpty == false {
            throw DataStoreError(
                .unsupported, in: "predicate",
                "This store evaluates no conditions in Swift code. Use a predicate without one.")
        }
    }

    override func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        let thread = ObjectIdentifier(Thread.current)
        readers.wait { readers -> Void? in
            guard readers[thread] != nil || readers.count < 5 else { return nil }
            readers[thread, default: 0] += 1
            return ()
        }
        defer {
            readers.change { readers in
                let left = (readers[thread] ?? 1) - 1
                readers[thread] = left == 0 ? nil : left
            }
        }
        try super.performRead(block)
    }
}
