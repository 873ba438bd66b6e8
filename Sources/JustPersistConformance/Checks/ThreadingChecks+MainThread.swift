import Foundation
import JustPersist

/// Checks of a main thread that waits in a store whose blocks run on it.
extension ThreadingChecks {
    private enum Wait: CaseIterable { case write, close }

    static let mainThread: [CheckDefinition] = [
        CheckDefinition(
            "thread/waiting-main-runs-blocks", clause: [3],
            gate: .requires(.readsOnMainThread && .nesting(.readInWrite, "reads in write blocks")),
            "A main thread that waits in the store runs the blocks that need it during the wait."
        ) { check in
            for wait in Wait.allCases {
                let store = try check.openStore()
                try store.addNote("stored")
                try check.onMain {
                    let isInside = Latch()
                    let found = Promise<[String]>()
                    store.enqueueWrite { db in
                        isInside.open()
                        // After this, the main thread probably waits.
                        Thread.sleep(forTimeInterval: 0.05)
                        found.settle(Result { try store.notes() })
                        try db.addNote("queued")
                    } completion: { _ in
                    }
                    isInside.wait()
                    switch wait {
                    case .write: try store.addNote("main")
                    case .close: try store.close()
                    }
                    check.expectEqual(
                        try found.get(), ["stored"],
                        "what a queued block read while the main thread waited in \(wait)")
                }
            }
        }
    ]
}
