import Foundation
import JustPersist

/// The connections that the blocks of a store share.
///
/// A thread whose block holds a connection never waits for another one, and neither does a write block, for which such
/// threads may wait. A program's blocks may also wait for each other: if no connection is given back for a second, one block
/// uses a further one.
final class Pool: Sendable {
    private struct State {
        var idle: [Connection] = []
        /// How many connections are in use, or are being made.
        var used = 0
        /// How many of them each thread uses.
        var users: [UInt: Int] = [:]
        /// How many times a place was given back, or a further one was taken because none was.
        var turns = 0
        /// How many times the idle connections were dropped.
        var generation = 0
    }

    private let limit: Int
    private let state = Locked(State())

    /// For how many seconds no place may be given back before a waiting block uses a further one.
    private static let patience = 1.0

    init(limit: Int) { self.limit = limit }

    /// Takes a place in the pool for the calling thread, and an idle connection if there is one.
    ///
    /// - Parameter isWriter: Whether the place is for a write block, which does not wait.
    func enter(isWriter: Bool = false) -> Connection? {
        let thread = BlockThread.current
        while true {
            let turns = state.withLock { $0.turns }
            let soon = Surroundings.date(inSeconds: Self.patience)
            let taken = state.wait(upTo: soon) { state -> Connection?? in
                guard isWriter || state.used < limit || state.users[thread] != nil else {
                    return nil
                }
                return .some(Self.take(&state, thread))
            }
            if let taken { return taken }
            let further = state.withLock { state -> Connection?? in
                guard state.turns == turns else { return nil }
                state.turns += 1
                return .some(Self.take(&state, thread))
            }
            if let further { return further }
        }
    }

    private static func take(_ state: inout State, _ thread: UInt) -> Connection? {
        state.used += 1
        state.users[thread, default: 0] += 1
        while let connection = state.idle.popLast() {
            if connection.isUsable { return connection }
        }
        return nil
    }

    /// The number for a connection that is about to be made.
    var generation: Int { state.withLock { $0.generation } }

    /// Gives the calling thread's place back, with a connection for the next block.
    ///
    /// A connection from before a loss is dropped: it may lead to a server that is not the primary any more.
    func leave(_ connection: Connection?) {
        let thread = BlockThread.current
        state.change { state in
            state.used -= 1
            state.turns += 1
            let left = (state.users[thread] ?? 1) - 1
            state.users[thread] = left > 0 ? left : nil
            if let connection, connection.isUsable, connection.generation == state.generation,
                state.idle.count < limit
            {
                state.idle.append(connection)
            }
        }
    }

    /// Drops the idle connections: the server has ended them too if it has ended one.
    func dropIdle() {
        let idle = state.withLock { state in
            defer { state.idle = [] }
            state.generation += 1
            return state.idle
        }
        _ = idle
    }
}
