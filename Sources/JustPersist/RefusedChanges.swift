/// The changes of properties that were refused in one write block.
///
/// A property cannot throw. In the forms of a write that can, its block fails in its stead.
final class RefusedChanges: Sendable {
    /// Those of the innermost write block of this thread; `nil` where refusals are only reported.
    @TaskLocal private static var current: RefusedChanges?

    private let first = Locked<DataStoreError?>(nil)

    /// Runs a block, and throws the first change that was refused in it.
    static func throwing<Value>(_ block: () throws -> Value) throws -> Value {
        let refused = RefusedChanges()
        let value = try $current.withValue(refused) { try block() }
        if let error = refused.first.withLock({ $0 }) { throw error }
        return value
    }

    /// Runs a block in which refusals are only reported.
    static func reporting<Value>(_ block: () -> Value) -> Value {
        $current.withValue(nil) { block() }
    }

    /// Runs a block, and gives the first change that was refused in it.
    static func first(_ block: () -> Void) -> DataStoreError? {
        let refused = RefusedChanges()
        $current.withValue(refused) { block() }
        return refused.first.withLock { $0 }
    }

    /// Notes a change that was refused and is reported by the caller.
    static func note(_ error: DataStoreError) {
        var error = error
        error.isReported = true
        current?.first.withLock { [error] in $0 = $0 ?? error }
    }
}

extension ItemBacking {
    /// Reports that a property was not changed, and fails the block around if it can throw.
    func refuse(_ error: DataStoreError) {
        RefusedChanges.note(error)
        report(error)
    }
}
