import Dispatch
import Foundation
import JustPersist

/// Looks once a second whether a check makes progress, and ends the check if it does not.
///
/// A check without progress that uses no processor time hangs. A check that uses processor time may be slow, on a busy
/// machine, and may take four times as long. Processor time is only considered in a process that runs a single check,
/// because otherwise it may belong to another check. A single call may also take four times as long while other threads
/// make progress.
struct Watchdog {
    /// The reason that a check is ended.
    enum Verdict: Sendable, Equatable {
        case hanging
        case slow
        case starving
    }

    private struct State {
        var sign = ContinuousClock.now
        /// The processor time of the process at the last progress, in seconds.
        var computed = Watchdog.computed
        var givenUp: ContinuousClock.Instant?
    }

    private let timer: any DispatchSourceTimer

    /// Watches until the watchdog is cancelled.
    ///
    /// Calls `giveUp` with the verdict, and `end` five seconds later, with a text that names the calls that hang.
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
                    // Processor time since that progress is counted from the next tick on.
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

    /// The verdict after `stillness` seconds without progress, in which the process used `computed` seconds of
    /// processor time, and on a call that has taken `longestCall` seconds; `nil` if there is time left.
    static func verdict(
        stillness: Double, longestCall: Double, timeout: Double, computed: Double
    ) -> Verdict? {
        if stillness <= timeout { return longestCall > 4 * timeout ? .starving : nil }
        // A process that only waits uses less, and a process with a hundredth of a processor uses more.
        if computed < stillness / 200 { return .hanging }
        return stillness > 4 * timeout ? .slow : nil
    }

    /// The processor time that this process has used, in seconds.
    // POSIX defines the unit as a millionth of a second on all machines.
    private static var computed: Double { Double(clock()) / 1_000_000 }
}
