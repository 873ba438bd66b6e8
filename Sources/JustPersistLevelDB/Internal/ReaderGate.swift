import JustPersist

/// Counts the readers of the database, and keeps them out while it is opened again.
final class ReaderGate: Sendable {
    private struct State {
        var readers = 0
        var isShut = false
    }

    private let state = Locked(State())

    /// Runs `body` as a reader, once the gate is open.
    func withReader(_ body: () throws -> Void) rethrows {
        state.wait { state -> Void? in
            guard !state.isShut else { return nil }
            state.readers += 1
            return ()
        }
        defer { state.change { $0.readers -= 1 } }
        try body()
    }

    /// Shuts the gate and runs `body`, unless a reader is inside; tells whether it did.
    ///
    /// It does not wait for readers: one of them may be waiting for the caller.
    func ifNobodyInside(_ body: () throws(DataStoreError) -> Void) throws(DataStoreError) -> Bool {
        let isEmpty = state.wait { state -> Bool? in
            guard !state.isShut else { return nil }
            state.isShut = state.readers == 0
            return state.isShut
        }
        guard isEmpty else { return false }
        defer { state.change { $0.isShut = false } }
        try body()
        return true
    }
}
