import Foundation

/// One line on the terminal that says how far a command has come; nothing if errors go elsewhere.
final class ProgressLine {
    private let isShown = isatty(STDERR_FILENO) == 1
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
            let left = seconds / min(fraction, 1) - seconds
            text += ", \(Int(fraction * 100)) %, \(Int(left.rounded(.up))) s left"
        }
        write("\r\u{1b}[K" + text)
        isLineShown = true
    }

    /// Takes the line away.
    func clear() {
        if isLineShown { write("\r\u{1b}[K") }
        isLineShown = false
    }

    deinit { clear() }

    private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
