import Dispatch
import Foundation
import Synchronization

/// Notes that the user pressed Ctrl-C, for work that stops where nothing is half done.
package final class Interruption {
    /// The end of a command that was interrupted, and what its user should know.
    package struct Error: Swift.Error {
        package let message: String
    }

    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    private let flag = Flag()
    private let source: any DispatchSourceSignal

    /// Takes over the interrupt signal of the process.
    package init() {
        signal(SIGINT, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler { [flag] in flag.isSet.store(true, ordering: .relaxed) }
        source.resume()
    }

    /// Throws if the signal has come.
    package func check(_ message: @autoclosure () -> String) throws(Error) {
        if flag.isSet.load(ordering: .relaxed) { throw Error(message: message()) }
    }
}
