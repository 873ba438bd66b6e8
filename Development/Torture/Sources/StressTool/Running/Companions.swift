import Foundation

/// Threads of a worker that do something together, once.
final class Companions: Sendable {
    private let state: Guarded<(running: Int, error: (any Error)?)>

    init(_ count: Int, _ body: @escaping @Sendable (_ number: Int) throws -> Void) {
        let state = Guarded<(running: Int, error: (any Error)?)>((count, nil))
        self.state = state
        for number in 0..<count {
            let thread = Thread {
                let result = Result { try body(number) }
                state.with { state in
                    state.running -= 1
                    if case .failure(let error) = result { state.error = error }
                }
            }
            thread.stackSize = 4 << 20
            thread.start()
        }
    }

    var haveEnded: Bool { state.with { $0.running == 0 } }

    /// Waits for all, and throws what one of them has thrown.
    func wait() throws {
        state.wait { $0.running == 0 }
        if let error = state.with({ $0.error }) { throw error }
    }
}
