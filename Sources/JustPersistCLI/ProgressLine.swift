import Foundation
import JustPersistCommandLine

/// One line on the terminal that says how far a command has come; nothing if errors go elsewhere.
final class ProgressLine {
    private let isShown = StandardStreams.isErrorTerminal
    private let start = ContinuousClock.now
    private var lastShown = ContinuousClock.now
    private var isLineShown = false

    /// Shows how many items are done, and what fraction of the work they are.
    func show(items: Int, fraction: Double?) {
        let now = ContinuousClock.now
        guard isShown, now - lastShown > .milliseconds(100) else { return }
        lastShown = now
        let seconds = (now - start) / .seconds(1)
        var text = "\(items) items, \(Int(Double(items) / seconds)) per second"
        if let fraction, fraction > 0 {
            // A file that grows is read beyond the size that it had.
            let fraction = min(fraction, 1)
            let left = seconds / fraction - seconds
            text += ", \(Int(fraction * 100)) %, \(Int(left.rounded(.up))) s left"
        }
        StandardStreams.writeError("\r\u{1b}[K" + text)
        isLineShown = true
    }

    /// Takes the line away.
    func clear() {
        if isLineShown { StandardStreams.writeError("\r\u{1b}[K") }
        isLineShown = false
    }

    deinit { clear() }
}
