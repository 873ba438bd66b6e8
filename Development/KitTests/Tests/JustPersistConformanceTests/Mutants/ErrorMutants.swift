import Foundation

@testable import JustPersist
@testable import JustPersistConformance

/// Stores that hide failures, report them wrongly, or do not recover from them.
enum ErrorMutants {
    static let all: [SabotagedType] = [
        SwallowsErrors.self, KeepsItsErrorHandler.self, ReportsTwice.self, ReportsLater.self,
        ReportsElsewhere.self,
        ThrowsForeignErrors.self, SaysNothingInErrors.self, ReportsSuccess.self,
        TrapsWithoutAHandler.self, LosesReaderSlots.self, DeletesWhatIsGone.self,
        TakesMoreThanItDeclares.self, OverwritesOtherFiles.self, SharesBlindly.self,
    ]
}

/// Does not pass errors to the handler as it should.
class ReportMutant: SabotagedStore, @unchecked Sendable {
    override var errorHandler: DataStoreErrorHandler? {
        get { super.errorHandler }
        set {
            guard let newValue else { return super.errorHandler = nil }
            super.errorHandler = { error in Self.report(error, to: newValue) }
        }
    }

    class func report(_ error: DataStoreError, to handler: @escaping DataStoreErrorHandler) {}
}

/// Reports nothing.
final class SwallowsErrors: ReportMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 44 }
    override class var caughtBy: [String] { ["err/handler-called-once"] }
}

/// Keeps the error handler that it was given first.
final class KeepsItsErrorHandler: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["err/handler-replaced"] }

    override var errorHandler: DataStoreErrorHandler? {
        get { super.errorHandler }
        set { if super.errorHandler == nil { super.errorHandler = newValue } }
    }
}

/// Reports everything twice.
final class ReportsTwice: ReportMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["err/handler-called-once"] }

    override class func report(
        _ error: DataStoreError, to handler: @escaping DataStoreErrorHandler
    ) {
        handler(error)
        handler(error)
    }
}

/// Reports everything some time after it happened.
final class ReportsLater: ReportMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["err/handler-called-once"] }

    override class func report(
        _ error: DataStoreError, to handler: @escaping DataStoreErrorHandler
    ) {
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: 0.05)
            handler(error)
        }
    }
}

/// Reports everything on a thread of its own.
final class ReportsElsewhere: ReportMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["err/handler-called-once"] }

    override class func report(
        _ error: DataStoreError, to handler: @escaping DataStoreErrorHandler
    ) {
        let isDone = Latch()
        Thread.detachNewThread {
            handler(error)
            isDone.open()
        }
        isDone.wait()
    }
}

/// Changes the errors that its calls throw.
class ErrorMutant: SabotagedStore, @unchecked Sendable {
    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.rows = { request, state throws(DataStoreError) in
            do throws(DataStoreError) {
                return try ReferenceQuery.rows(request, in: state)
            } catch {
                throw told(error)
            }
        }
        return rules
    }

    class func told(_ error: DataStoreError) -> DataStoreError { error }
}

/// Throws the errors of the engine below as they are.
final class ThrowsForeignErrors: SabotagedStore, Fault, @unchecked Sendable {
    override class var number: Int? { 44 }
    override class var caughtBy: [String] {
        [
            "err/errors-are-typed", "life/use-after-teardown-refused",
            "life/use-before-setup-refused",
        ]
    }

    override func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        do {
            try super.performRead(block)
        } catch let error as DataStoreError where error.code == .notSetUp {
            throw CocoaError(.fileReadUnknown)
        }
    }
}

/// Throws errors that name neither the operation nor its subject.
final class SaysNothingInErrors: ErrorMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 44 }
    override class var caughtBy: [String] { ["err/errors-are-typed"] }

    override class func told(_ error: DataStoreError) -> DataStoreError {
        DataStoreError(error.code, in: "", "")
    }
}

/// Reports that it has closed.
final class ReportsSuccess: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["err/no-error-on-success", "life/teardown-twice"] }

    override func close() throws {
        try super.close()
        errorHandler?(DataStoreError(.recovered, in: "close", "The store was closed."))
    }
}

/// Traps if there is no error handler.
final class TrapsWithoutAHandler: SabotagedStore, Fault, @unchecked Sendable {
    override class var endsItsProcess: Bool { true }
    override class var caughtBy: [String] { ["err/handler-absent"] }

    override func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        do {
            try super.performRead(block)
        } catch {
            precondition(errorHandler != nil, "There is no error handler")
            throw error
        }
    }
}

/// Releases a reader's slot only if its block did not throw.
final class LosesReaderSlots: SabotagedStore, Fault, @unchecked Sendable {
    override class var number: Int? { 48 }
    override class var caughtBy: [String] {
        ["conc/many-reader-threads", "err/error-in-read-leaves-store-usable"]
    }

    override func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        if memory.next() > 126 {
            memory.count.withLock { $0 -= 1 }
            throw DataStoreError(.storageFailure, in: "read", "There are too many readers.")
        }
        try super.performRead(block)
        memory.count.withLock { $0 -= 1 }
    }
}

/// Reports that it deleted an item that was deleted before, and returns a live object for one.
final class DeletesWhatIsGone: AccessorMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        [
            "err/couldNotCreate-delete-fetch", "err/no-error-on-success", "prim/delete-again",
            "prim/mutableVersion-again",
        ]
    }

    override class func changes(_ memory: Memory) -> AccessorChanges {
        var changes = super.changes(memory)
        changes.knowsTheDeleted = false
        return changes
    }
}

/// Declares limits that it does not enforce.
final class TakesMoreThanItDeclares: SabotagedStore, Fault, @unchecked Sendable {
    override class var number: Int? { 49 }
    override class var caughtBy: [String] { ["err/over-limit-refused"] }

    override var capabilities: DataStoreCapabilities {
        var capabilities = super.capabilities
        capabilities.limits.nameBytes = 100
        return capabilities
    }
}

/// Replaces a directory that belongs to no store.
final class OverwritesOtherFiles: PersistentStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["err/not-a-store"] }

    override class func makeLog(in directory: URL) throws -> CommitLog {
        do {
            return try super.makeLog(in: directory)
        } catch let error as DataStoreError where error.code == .notAStore {
            try FileManager.default.removeItem(at: directory)
            return try super.makeLog(in: directory)
        }
    }
}

/// Does not detect that its files are already open in this process or another.
final class SharesBlindly: PersistentStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["err/second-open-same-process", "err/second-open-other-process", "err/not-a-store"]
    }

    override class func makeLog(in directory: URL) throws -> CommitLog {
        try CommitLog(in: directory, guarded: false)
    }
}
