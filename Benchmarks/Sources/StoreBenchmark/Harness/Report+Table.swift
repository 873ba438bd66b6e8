import Foundation

extension Report {
    /// The report as text: throughput by side, then the ratios with their goals, then the memory.
    var table: String {
        var parts = [
            "\(items) restaurants, \(rounds) rounds, median items/s and spread\n\(machine)"
        ]
        if !rows.isEmpty { parts.append(Self.lay(throughput)) }
        if rows.contains(where: { !$0.ratios.isEmpty }) { parts.append(Self.lay(ratios)) }
        if !memory.isEmpty { parts.append(Self.lay(memoryUse)) }
        return parts.joined(separator: "\n\n")
    }

    private var throughput: [[String]] {
        let sides = Side.all.map(\.name)
        return [["operation"] + sides]
            + rows.map { row in
                [row.title]
                    + sides.map { side in
                        guard let figure = row.figures.first(where: { $0.side == side }) else {
                            return "-"
                        }
                        let half = Int((figure.spread * 50).rounded())
                        return "\(Self.short(figure.itemsPerSecond)) ±\(half)%"
                    }
            }
    }

    private var ratios: [[String]] {
        let comparisons = Comparison.all.filter { comparison in
            rows.contains { $0.ratios.contains { $0.compares(comparison) } }
        }
        return [["JustPersist, times as fast"] + comparisons.map(\.title)]
            + rows.map { row in
                [row.title]
                    + comparisons.map { comparison in
                        row.ratios.first { $0.compares(comparison) }.map(Self.judge) ?? "-"
                    }
            }
    }

    private var memoryUse: [[String]] {
        [["peak memory of fetching all", "peak", "own", "own per byte of data"]]
            + memory.map { use in
                [
                    use.side, Self.short(Double(use.peak)) + "B", Self.short(Double(use.own)) + "B",
                    String(format: "%.1f", Double(use.own) / Double(encodedBytes)),
                ]
            }
    }

    private static func judge(_ ratio: Ratio) -> String {
        let figure = String(format: "%.2f", ratio.ratio)
        guard let goal = ratio.goal else { return figure }
        let wanted = String(format: "%g", goal)
        return "\(figure) \(ratio.ratio >= goal ? "≥" : "BELOW") \(wanted)"
    }

    private static func short(_ value: Double) -> String {
        switch value {
        case 1e6...: String(format: "%.2f M", value / 1e6)
        case 1e3...: String(format: "%.1f k", value / 1e3)
        default: String(format: "%.0f ", value)
        }
    }

    /// Sets the first column to the left and the others to the right.
    private static func lay(_ rows: [[String]]) -> String {
        let columns = rows.first?.indices ?? 0..<0
        let widths = columns.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            columns.map { column in
                let space = String(repeating: " ", count: widths[column] - row[column].count)
                return column == 0 ? row[column] + space : space + row[column]
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }
}

extension Report.Ratio {
    fileprivate func compares(_ comparison: Comparison) -> Bool {
        subject == comparison.subject && peer == comparison.peer
    }
}
