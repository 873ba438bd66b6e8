import Foundation
import JustPersist
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
        let text = Self.text(items: items, fraction: fraction, seconds: (now - start) / .seconds(1))
        // A line that went on in the next one could not be taken away.
        StandardStreams.writeError("\r\u{1b}[K" + text.cut(to: max(1, Terminal.errorWidth - 1)))
        isLineShown = true
    }

    /// Takes the line away.
    func clear() {
        if isLineShown { StandardStreams.writeError("\r\u{1b}[K") }
        isLineShown = false
    }

    deinit { clear() }

    private static func text(items: Int, fraction: Double?, seconds: Double) -> String {
        let text = "\(items.counted("item")), \(Int(Double(items) / seconds)) per second"
        guard let fraction, fraction > 0 else { return text }
        // A file that grows is read beyond the size that it had.
        let done = min(fraction, 1)
        return text + ", \(Int(done * 100)) %, \(duration(seconds / done - seconds)) left"
    }

    private static func duration(_ seconds: Double) -> String {
        let whole = Int(min(seconds.rounded(.up), 1e9))
        return switch whole {
        case ..<60: "\(whole) s"
        case ..<3600: "\(whole / 60) min \(whole % 60) s"
        default: "\(whole / 3600) h \(whole % 3600 / 60) min"
        }
    }
}
