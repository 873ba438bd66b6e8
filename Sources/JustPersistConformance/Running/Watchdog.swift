import Dispatch
import Foundation
import JustPersist

/// Looks once a second whether a check shows signs of life, and gives it up when it does not.
///
/// A check that neither shows one nor computes hangs. One that computes may be slow, on a machine that is busy
/// with much else, and gets four times as long. Processor time says whose work it was only in a process that is
/// there for the check alone. A single call may take four times as long, too, while other threads go on.
struct Watchdog {
    /// Why a check is given up.
    enum Verdict: Sendable, Equatable {
        case hanging
        case slow
        case starving
    }

    private struct State {
        var sign = ContinuousClock.now
        /// The processor time of the process at the last sign of life, in seconds.
        var computed = Watchdog.computed
        var givenUp: ContinuousClock.Instant?
    }

    private let timer: any DispatchSourceTimer

    /// Watches until it is cancelled; calls `end` five seconds after the verdict, with a text that names
    /// the calls that hang.
    init(
        _ recorder: Recorder, timeout: Double, end: (@Sendable (String) -> Void)?,
        giveUp: @escaping @Sendable (Verdict) -> Void
    ) {
        let state = Locked(State())
        timer = DispatchSource.makeTimerSource(queue: .global())
        timer.schedule(deadline: .now() + 1, repeating: 1)
        timer.setEventHandler {
            let pulse = recorder.pulse
            let (verdict, isOver) = state.withLock { state -> (Verdict?, Bool) in
                if let givenUp = state.givenUp {
                    return (nil, givenUp.duration(to: .now) > .seconds(5))
                }
                let stillness = pulse.stillness / .seconds(1)
                if pulse.lastSign != state.sign {
                    state = State(sign: pulse.lastSign)
                    // The time computed since that sign is counted from the next tick on.
                    if stillness > timeout { return (nil, false) }
                }
                let verdict = Self.verdict(
                    stillness: stillness, longestCall: pulse.longestCall / .seconds(1),
                    timeout: timeout, computed: end == nil ? 0 : Self.computed - state.computed)
                if verdict != nil { state.givenUp = .now }
                return (verdict, false)
            }
            if let verdict { giveUp(verdict) }
            if isOver { end?(recorder.openCalls) }
        }
        timer.resume()
    }

    func cancel() { timer.cancel() }

    /// The verdict on so many seconds without a sign of life, in which the check's process computed for so
    /// many, and of a call that the store has kept for so many; nil if there is time left.
    static func verdict(
        stillness: Double, longestCall: Double, timeout: Double, computed: Double
    ) -> Verdict? {
        if stillness <= timeout { return longestCall > 4 * timeout ? .starving : nil }
        // A process that only waits needs less, and one that gets a hundredth of a processor more.
        if computed < stillness / 200 { return .hanging }
        return stillness > 4 * timeout ? .slow : nil
    }

    /// The processor time that this process has had, in seconds.
    // POSIX counts it in millionths, whatever the machine.
    private static var computed: Double { Double(clock()) / 1_000_000 }
}
