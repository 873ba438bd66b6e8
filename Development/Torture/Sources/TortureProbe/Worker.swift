import Foundation
import JustPersist
import Workload

/// Writes the blocks of a workload, and leaves word of each in shared memory.
///
/// A store that refuses is asked again: behind a fault that has passed, it must go on. What it answers
/// meanwhile is compared with the model, too.
struct Worker {
    let arguments: Arguments
    let workload: Workload
    let acknowledgements: AcknowledgementFile
    /// How often the store has refused in a row, since it was opened.
    private var failuresInRow = 0
    private var lastWasRefused = false

    /// So many blocks are tried beyond the last, as long as the store refuses.
    private static let spare = 6

    init(_ arguments: Arguments) throws {
        self.arguments = arguments
        workload = try arguments.workload
        acknowledgements = try AcknowledgementFile(
            try arguments.text("acks"), isTraced: try arguments.flag("traced"))
    }

    /// Runs all blocks; gives the exit status.
    mutating func run() throws -> Int32 {
        let store = try arguments.store
        let first = try arguments.number("from", or: 0)
        let last = try arguments.number("to", or: AcknowledgementFile.capacity / 2)
        let reopenEvery = try arguments.number("reopen", or: 1 << 30)
        let examineEvery = try arguments.number("examine", or: 1 << 30)
        let compactEvery = try arguments.number("compact", or: 1 << 30)
        let pause = try arguments.number("pause", or: 0)
        guard open(store) else { return ProbeStatus.gaveUp.rawValue }
        // Behind a fault in the last blocks a few more show whether it goes on.
        for number in first..<last + Self.spare {
            if number >= last, !lastWasRefused { break }
            write(number, to: store)
            if (number + 1) % examineEvery == 0 { try examine(store) }
            if (number + 1) % compactEvery == 0 { _ = try store.compact() }
            if (number + 1) % reopenEvery == 0 || failuresInRow == 3 {
                try? store.close()
                guard open(store) else { return ProbeStatus.gaveUp.rawValue }
            }
            if pause > 0 { usleep(UInt32(pause)) }
        }
        if try arguments.flag("die") { kill(getpid(), SIGKILL) }
        try examine(store)
        do { try store.close() } catch { return ProbeStatus.closeRefused.rawValue }
        return lastWasRefused ? ProbeStatus.gaveUp.rawValue : 0
    }

    private mutating func write(_ number: Int, to store: any DataStore) {
        acknowledgements[number] = .begun
        do {
            try workload.write(number, to: store)
            acknowledgements[number] = .acknowledged
            failuresInRow = 0
            lastWasRefused = false
        } catch let error as WrongAnswer {
            acknowledgements[number] = .refused
            Probe.fail(.wrongAnswer, "block \(number): \(error.reason)")
        } catch {
            acknowledgements[number] = .refused
            failuresInRow += 1
            lastWasRefused = true
            if arguments.isTalkative { Probe.say("block \(number): \(error)") }
        }
    }

    /// Compares what the store answers now; errors are its right while faults are injected.
    private func examine(_ store: any DataStore) throws {
        var examination = Examination(workload, expecting: nil)
        examination.examine(store)
        let verdict = examination.verdict
        if arguments.isTalkative { Probe.say("examined: \(verdict.summary)") }
        guard verdict.isRight else { Probe.fail(.wrongAnswer, verdict.summary) }
        let seen = Set(verdict.blocks)
        guard verdict.errors.isEmpty else { return }
        let lost = acknowledgements.blocks(.acknowledged).subtracting(seen)
        guard lost.isEmpty else { Probe.fail(.wrongAnswer, "lost while open: \(lost.sorted())") }
        // A block that a process before this one had begun may be there.
        let invented = seen.subtracting(acknowledgements.blocks(.acknowledged, .begun, .refused))
        guard invented.isEmpty else {
            Probe.fail(.wrongAnswer, "never written: \(invented.sorted())")
        }
    }

    /// Opens the store; a fault that has passed may refuse it once or twice, not for ever.
    private mutating func open(_ store: any DataStore) -> Bool {
        failuresInRow = 0
        for _ in 0..<4 {
            do {
                try store.open()
                return true
            } catch {
                if arguments.isTalkative { Probe.say("open: \(error)") }
            }
        }
        return false
    }
}
