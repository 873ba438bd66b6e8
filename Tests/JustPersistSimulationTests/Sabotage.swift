import JustPersist
import JustPersistRecords
import JustPersistSimulation

/// Makes a closed store over a disk.
typealias StoreMaker = @Sendable (SimulatedDisk, ChangeLogLength?) -> any DataStore

/// Makes a store without a fault.
let soundStore: StoreMaker = { $0.store(changeLog: $1) }

/// A deliberate fault between two parts that are correct by themselves.
enum Sabotage: String, CaseIterable, Sendable {
    /// No fault, in each of the two places: the scenarios pass.
    case noneInEngine, noneInStore
    // Between the record layer and its engine.
    case refusalIsSwallowed, fullDiskIsSuccess, refusedChangesComeBack, commitIsLeftForTheNext
    case commitInTwoHalves, snapshotsAreLive, readsLagBehind, savepointsAreKept
    case savepointUndoesAll, refusedReadIsEmpty
    // Between a store and its users.
    case completionBeforeCommit, queueIsReversed, streamLosesASet, streamIsBeforeCommit
    case streamTellsNoDeletions, streamPassesOverShortLives, streamForgetsItsToken,
        incompleteSetIsComplete
    case refusedBlockRunsTwice, fullDiskIsSilent, queuedRefusalIsSwallowed

    var isNone: Bool { self == .noneInEngine || self == .noneInStore }

    var isInEngine: Bool {
        if self == .noneInStore { return false }
        guard let place = Self.allCases.firstIndex(of: self),
            let first = Self.allCases.firstIndex(of: .completionBeforeCommit)
        else { return false }
        return place < first
    }

    /// Makes a store that has the fault.
    var maker: StoreMaker {
        { disk, log in
            if isInEngine {
                RecordStore(
                    engine: SabotagedEngine(disk.engine(), self), changeLog: log,
                    errorHandler: { _ in })
            } else {
                SabotagedStore(disk.store(changeLog: log), self)
            }
        }
    }
}
