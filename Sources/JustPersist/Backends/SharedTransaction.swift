/// A transaction that write blocks share if they wait for each other, so that one commit makes all of them durable.
///
/// A ``BlockGate`` runs the blocks one after the other, as always. Where several wait, it begins one transaction for a
/// group of them, runs each in a savepoint of its own, and commits once: on a disk, a commit takes much longer than most
/// blocks. A block that throws is rolled back alone. No call returns, and no completion is called, before the commit.
///
/// Conform to this if your framework has savepoints, and pass the object to the gate. The blocks that you pass to the gate
/// then find the open transaction in that object:
///
/// ```swift
/// final class MyTransaction: SharedTransaction { … }
///
/// let transaction = MyTransaction(database)
/// let gate = BlockGate(transaction: transaction)
/// try gate.write { try block(MyWriteAccessor(transaction.connection)) }
/// ```
///
/// The gate never calls two members at the same time, and no block runs while a member does, except those that it
/// calls.
public protocol SharedTransaction: AnyObject, Sendable {
    /// Whether threads other than the one that began the transaction may use it, one at a time.
    ///
    /// If not, only queued blocks share transactions, because they all run on one thread. The transaction always begins
    /// and ends on the same thread.
    var isPassedBetweenThreads: Bool { get }

    /// Whether the open transaction takes one more block.
    ///
    /// `false` once it is so large that it should be committed first.
    var hasRoom: Bool { get }

    /// Begins the transaction, calls `body` once, and commits if it returns.
    ///
    /// If `body` or the commit throws, nothing has changed, and the error is rethrown. In that case no block of the
    /// group is in the store.
    func commit(_ body: () throws -> Void) throws

    /// Calls `body`, which is one block of several, and undoes its changes if it throws.
    ///
    /// If they cannot be undone, or cannot be kept although `body` returned, ``commit(_:)`` must throw.
    func withSavepoint(_ body: () throws -> Void) throws
}
