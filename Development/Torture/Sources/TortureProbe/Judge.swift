import Foundation
import JustPersist
import Workload

/// Opens a store in a process of its own, and tells what is in it.
enum Judge {
    static func run(_ arguments: Arguments) throws -> Verdict {
        let workload = try arguments.workload
        let expected =
            try arguments.flag("all")
            ? Set(0..<(try arguments.number("to", or: 0))) : nil
        var examination = Examination(workload, expecting: expected)
        let store = try arguments.store
        do {
            try store.open()
        } catch {
            var verdict = Verdict()
            verdict.openError = "\(error)"
            return verdict
        }
        examination.examine(store)
        examination.verify(store)
        var verdict = examination.verdict
        if let further = try? arguments.number("write", or: -1), further >= 0 {
            do {
                try workload.write(further, to: store)
            } catch {
                verdict.writeError = "\(error)"
            }
        }
        do { try store.close() } catch { verdict.errors.append("close: \(error)") }
        return verdict
    }
}
