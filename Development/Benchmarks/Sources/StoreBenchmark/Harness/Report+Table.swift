import Foundation

extension Report {
    /// The report as text: throughput by side, then the ratios with their goals, then growth and memory, if measured.
    var table: String {
        let load = self.load.map { $0.map { String(format: "%.1f", $0) } ?? "unknown" }.joined(
            separator: " before, ")
        let stores = sizes.map(String.init).joined(separator: ", ")
        let head = """
            \(stores) restaurants, \(rounds) rounds, median items/s and spread
            \(machine), load \(load) after
            """
        let tables = [throughput, ratios, withinSides, costs, memoryUse].filter { $0.count > 1 }
        return ([head] + tables.map(Self.lay)).joined(separator: "\n\n")
    }

    private var throughput: [[String]] {
        let sides = measuredSides { side in
            rows.contains { $0.figures.contains { $0.side == side } }
        }
        return [["operation"] + sides]
            + rows.map { row in
                [row.title]
                    + sides.map { side in
                        row.figures.first { $0.side == side }.map {
                            "\(Self.short($0.itemsPerSecond)) \(Self.half($0.spread))"
                        } ?? "-"
                    }
            }
    }

    private var ratios: [[String]] {
        let comparisons = Comparison.all.filter { comparison in
            rows.contains { $0.ratios.contains { $0.compares(comparison) } }
        }
        guard !comparisons.isEmpty else { return [] }
        return [["JustPersist, times as fast"] + comparisons.map(\.title)]
            + rows.map { row in
                [row.title]
                    + comparisons.map { comparison in
                        row.ratios.first { $0.compares(comparison) }.map(Self.judge) ?? "-"
                    }
            }
    }

    private var withinSides: [[String]] {
        let sides = measuredSides { side in
            within.contains { $0.ratios.contains { $0.subject == side } }
        }
        return [["times as fast on the same side"] + sides]
            + within.map { pair in
                [pair.title]
                    + sides.map { side in
                        pair.ratios.first { $0.subject == side }.map(Self.judge) ?? "-"
                    }
            }
    }

    private var costs: [[String]] {
        let sides = measuredSides { side in growth.contains { $0.side == side } }
        var titles: [String] = []
        for title in growth.map(\.title) where !titles.contains(title) { titles.append(title) }
        return [["ns per item by size, largest : smallest"] + sides]
            + titles.map { title in
                [title]
                    + sides.map { side in
                        growth.first { $0.title == title && $0.side == side }.map { growth in
                            let costs = growth.nanosecondsPerItem.map { String(Int($0.rounded())) }
                            let judged = Self.judge(growth.ratio, atMost: true)
                            return costs.joined(separator: " ") + ", " + judged
                        } ?? "-"
                    }
            }
    }

    private var memoryUse: [[String]] {
        [["peak memory of fetching all", "peak", "own", "own per byte of data"]]
            + memory.map { use in
                [
                    use.side, Self.short(Double(use.peak)) + "B", Self.short(Double(use.own)) + "B",
                    Self.judge(use.ownPerByte, goal: use.goal, atMost: true),
                ]
            }
    }

    private func measuredSides(where isMeasured: (String) -> Bool) -> [String] {
        Side.all.map(\.name).filter(isMeasured)
    }

    static func judge(_ ratio: Ratio) -> String { judge(ratio, atMost: false) }

    private static func judge(_ ratio: Ratio, atMost: Bool) -> String {
        judge(ratio.ratio, half(ratio.spread), goal: ratio.goal, atMost: atMost)
    }

    private static func judge(
        _ value: Double, _ spread: String? = nil, goal: Double?, atMost: Bool
    ) -> String {
        let figure = [String(format: "%.2f", value), spread].compactMap(\.self)
            .joined(separator: " ")
        guard let goal else { return figure }
        let wanted = String(format: "%g", goal)
        return atMost
            ? "\(figure) \(value <= goal ? "≤" : "ABOVE") \(wanted)"
            : "\(figure) \(value >= goal ? "≥" : "BELOW") \(wanted)"
    }

    /// A spread as the deviation to either side of the median.
    private static func half(_ spread: Double) -> String {
        "±\((spread * 50).isFinite ? Int((spread * 50).rounded()) : 0)%"
    }

    private static func short(_ value: Double) -> String {
        switch value {
        case 1e6...: String(format: "%.2f M", value / 1e6)
        case 1e3...: String(format: "%.1f k", value / 1e3)
        default: String(format: "%.0f ", value)
        }
    }

    /// Aligns the first column left and the others right.
    static func lay(_ rows: [[String]]) -> String {
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
