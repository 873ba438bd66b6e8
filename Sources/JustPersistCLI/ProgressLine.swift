import Foundation
import JustPersist
import JustPersistCommandLine

/// A line on the terminal with the progress of a command; nothing is written if standard error is not a terminal.
final class ProgressLine {
    private let isShown = StandardStreams.isErrorTerminal
    private let start = ContinuousClock.now
    private var lastShown = ContinuousClock.now
    private var isLineShown = false

    /// Shows the number of finished items, and the fraction of the work.
    func show(items: Int, fraction: Double?) {
        let now = ContinuousClock.now
        guard isShown, now - lastShown > .milliseconds(100) else { return }
        lastShown = now
        let text = Self.text(items: items, fraction: fraction, seconds: (now - start) / .seconds(1))
        // A wrapped line could not be erased.
        StandardStreams.writeError("\r\u{1b}[K" + text.cut(to: max(1, Terminal.errorWidth - 1)))
        isLineShown = true
    }

    /// Erases the line.
    func clear() {
        if isLineShown { StandardStreams.writeError("\r\u{1b}[K") }
        isLineShown = false
    }

    deinit { clear() }

    private static func text(items: Int, fraction: Double?, seconds: Double) -> String {
        let text = "\(items.counted("item")), \(Int(Double(items) / seconds)) per second"
        guard let fraction, fraction > 0 else { return text }
        // A file that grows is read beyond its initial size.
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
