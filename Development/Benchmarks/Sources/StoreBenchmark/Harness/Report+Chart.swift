import Foundation

/// The report as a picture, for the README and the manual.
extension Report {
    /// The colours of a chart on a light or a dark page.
    enum Appearance: CaseIterable {
        case light
        case dark

        /// What the name of the picture's file ends with, as DocC expects it.
        var suffix: String { self == .light ? "" : "~dark" }
        fileprivate var text: String { self == .light ? "#1f2328" : "#f0f6fc" }
        fileprivate var line: String { self == .light ? "#d1d9e0" : "#3d444d" }
        fileprivate var sides: [String] {
            self == .light ? ["#0969da", "#1a7f37", "#bc4c00"] : ["#58a6ff", "#3fb950", "#f0883e"]
        }
    }

    /// The measures of the picture, in pixels.
    private enum Measure {
        static let width = 760.0
        static let labels = 250.0
        static let top = 64.0
        static let bar = 8.0
        static let row = 34.0
    }

    /// A chart of the ratios of JustPersist on LMDB to the other sides, as SVG: losses to the left of a line at 1, and
    /// gains to the right, on a logarithmic scale.
    func chart(_ appearance: Appearance) -> String {
        let peers = Comparison.all.filter { $0.subject == Comparison.onLMDB }
        let rows = rows.filter { $0.ratios.contains { $0.subject == Comparison.onLMDB } }
        let values = rows.flatMap(\.ratios).filter { $0.subject == Comparison.onLMDB }.map(\.ratio)
        let least = min(values.min() ?? 1, 0.1)
        let most = max(values.max() ?? 1, 10)
        let height = Measure.top + Double(rows.count) * Measure.row + 16
        let drawn = Measure.width - Measure.labels - 56
        func x(_ ratio: Double) -> Double {
            Measure.labels + drawn * (log(ratio) - log(least)) / (log(most) - log(least))
        }

        var lines: [String] = []
        func text(
            _ text: String, _ x: Double, _ y: Double, _ anchor: String = "start", size: Int = 12
        ) {
            lines.append(
                #"<text x="\#(x.pixels)" y="\#(y.pixels)" text-anchor="\#(anchor)" font-size="\#(size)">"#
                    + "\(text.escaped)</text>")
        }
        func bar(_ from: Double, _ to: Double, _ y: Double, _ colour: String) {
            lines.append(
                #"<rect x="\#(min(from, to).pixels)" y="\#(y.pixels)" "#
                    + #"width="\#(max(abs(to - from), 1).pixels)" height="\#(Measure.bar.pixels)" "#
                    + #"fill="\#(colour)"/>"#)
        }

        text("How many times as fast JustPersist on LMDB is", 8, 20, size: 15)
        for (number, (peer, colour)) in zip(peers, appearance.sides).enumerated() {
            let place = 8 + Double(number) * 150
            bar(place, place + 12, 32, colour)
            text("than \(peer.peer)", place + 18, 41)
        }
        for mark in [0.01, 0.1, 1, 10, 100] where mark >= least && mark <= most {
            let width = mark == 1 ? 2 : 1
            lines.append(
                #"<line x1="\#(x(mark).pixels)" y1="\#((Measure.top - 4).pixels)" x2="\#(x(mark).pixels)" "#
                    + #"y2="\#((height - 12).pixels)" stroke="\#(appearance.line)" stroke-width="\#(width)"/>"#
            )
            text(String(format: "%g", mark), x(mark), Measure.top - 8, "middle", size: 11)
        }
        for (number, row) in rows.enumerated() {
            let top = Measure.top + Double(number) * Measure.row
            text(row.title, 8, top + 4 + 1.5 * (Measure.bar + 1) + 4)
            for (place, peer) in peers.enumerated() {
                guard let ratio = row.ratios.first(where: { $0.peer == peer.peer })?.ratio else {
                    continue
                }
                let y = top + 4 + Double(place) * (Measure.bar + 1)
                bar(x(1), x(ratio), y, appearance.sides[place])
                let isLoss = ratio < 1
                text(
                    String(format: ratio < 10 ? "%.2g" : "%.0f", ratio),
                    x(ratio) + (isLoss ? -4 : 4), y + 8, isLoss ? "end" : "start", size: 9)
            }
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(Measure.width.pixels)" height="\(height.pixels)" \
            viewBox="0 0 \(Measure.width.pixels) \(height.pixels)" role="img" font-family="sans-serif" \
            fill="\(appearance.text)">
            <title>Speed of JustPersist on LMDB next to GRDB and LMDB</title>
            \(lines.joined(separator: "\n"))
            </svg>

            """
    }
}

extension Double {
    /// The number as a length in a picture.
    fileprivate var pixels: String { String(format: "%g", (self * 10).rounded() / 10) }
}

extension String {
    /// The text with the signs that XML reserves as entities.
    fileprivate var escaped: String {
        replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    }
}
