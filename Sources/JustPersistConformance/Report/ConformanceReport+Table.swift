import Foundation

extension ConformanceReport {
    /// The report for a terminal: a line for each group, and all results that are not a pass.
    var tableText: String {
        [
            groupTable, failureText, listed(.knownFailing), listed(.unverified), notApplicableText,
            figureText, anomalyText, slowestText,
            "\(verdict)\nseed \(seed), \(Self.text(seconds)) s",
        ]
        .filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    /// The groups, in the order in which they ran.
    var groups: [(name: String, results: [CheckResult])] {
        var order: [String] = []
        for result in results where !order.contains(result.group) { order.append(result.group) }
        let byGroup = Dictionary(grouping: results, by: \.group)
        return order.map { ($0, byGroup[$0] ?? []) }
    }

    /// The anomalies that the store prevents or allows, for a comparison of stores.
    ///
    /// Anomalies whose checks did not finish are left out.
    var anomalies: [(name: String, isPrevented: Bool)] {
        let names = [
            "G0", "G1a", "G1b", "G1c", "OTV", "PMP", "P4", "G-single", "G2-item", "G2",
        ]
        return names.compactMap { name in
            guard let result = results.first(where: { $0.id == "iso/\(name)" }),
                [.pass, .fail, .knownFailing].contains(result.outcome), !result.isBroken
            else { return nil }
            return (name, result.outcome == .pass)
        }
    }

    static func text(_ seconds: Double) -> String {
        seconds.formatted(
            .number.precision(.fractionLength(2)).grouping(.never)
                .locale(Locale(identifier: "en_US_POSIX")))
    }

    private var groupTable: String {
        let header = ["group", "pass", "fail", "n/a", "known", "unverified", "seconds"]
        let rows = groups.map { group, results in
            [group]
                + CheckOutcome.allCases.map { outcome in
                    let count = results.count { $0.outcome == outcome }
                    return count == 0 ? "" : String(count)
                } + [Self.text(results.reduce(0) { $0 + $1.seconds })]
        }
        let widths = header.indices.map { column in
            ([header] + rows).reduce(0) { max($0, $1[column].count) }
        }
        return ([header] + rows).map { row in
            row.indices.map { column in
                let space = String(repeating: " ", count: widths[column] - row[column].count)
                return column == 0 ? row[column] + space : space + row[column]
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }

    private var failureText: String {
        results.filter { $0.outcome == .fail }.map {
            $0.description + ($0.isAdvisory ? "\n  advisory: of a later level than asked for" : "")
        }.joined(separator: "\n\n")
    }

    private func listed(_ outcome: CheckOutcome) -> String {
        reasons(of: outcome).map { reason, ids in
            "\(outcome.rawValue): \(Self.list(ids))\n  \(reason)"
        }.joined(separator: "\n")
    }

    private var notApplicableText: String {
        reasons(of: .notApplicable).map { reason, ids in
            "not applicable: \(Self.list(ids)): \(reason)"
        }.joined(separator: "\n")
    }

    /// The ids of the checks with an outcome, by reason.
    func reasons(of outcome: CheckOutcome) -> [(reason: String, ids: [String])] {
        var order: [String] = []
        var ids: [String: [String]] = [:]
        for result in results where result.outcome == outcome {
            let reason = result.reason ?? "no reason given"
            if ids[reason] == nil { order.append(reason) }
            ids[reason, default: []].append(result.id)
        }
        return order.map { ($0, ids[$0] ?? []) }
    }

    /// A list of the first few ids, and the number of the others.
    static func list(_ ids: [String]) -> String {
        ids.count <= 4
            ? ids.joined(separator: ", ")
            : ids.prefix(3).joined(separator: ", ") + " and \(ids.count - 3) more"
    }

    private var figureText: String {
        results.filter { !$0.measurements.isEmpty }.map { result in
            let figures = result.measurements.map { figure in
                let value = figure.value.formatted(
                    .number.precision(.significantDigits(1...4)).grouping(.automatic)
                        .locale(Locale(identifier: "en_US_POSIX")))
                return "\(figure.name) \(value) \(figure.unit)"
            }
            return "\(result.id): " + figures.joined(separator: ", ")
        }.joined(separator: "\n")
    }

    private var anomalyText: String {
        if anomalies.isEmpty { return "" }
        return "prevented: "
            + anomalies.map { "\($0.name) \($0.isPrevented ? "yes" : "NO")" }
            .joined(separator: ", ")
    }

    private var slowestText: String {
        let slowest = results.filter { $0.seconds >= 1 }.sorted { $0.seconds > $1.seconds }
        if slowest.isEmpty { return "" }
        return "slowest: "
            + slowest.prefix(10).map { "\($0.id) \(Self.text($0.seconds)) s" }
            .joined(separator: ", ")
    }
}
