import Foundation

extension ConformanceReport {
    /// The report for a web page: the verdict, a table of the groups, and all results that are not a pass.
    var markdownText: String {
        var lines = [
            "## Conformance of \(store.markdown)", "",
            (isConformant ? "✅ " : "❌ ") + verdict.markdown,
            "", "| group | pass | fail | not applicable | known failing | unverified |",
            "|---|--:|--:|--:|--:|--:|",
        ]
        for (group, results) in groups {
            let counts = CheckOutcome.allCases.map { outcome in
                String(results.count { $0.outcome == outcome })
            }
            lines.append("| \(group) | " + counts.joined(separator: " | ") + " |")
        }
        if !anomalies.isEmpty {
            lines += [
                "", "| anomaly | " + anomalies.map(\.name).joined(separator: " | ") + " |",
                "|---|" + String(repeating: ":-:|", count: anomalies.count),
                "| prevented | "
                    + anomalies.map { $0.isPrevented ? "✓" : "✗" }.joined(separator: " | ") + " |",
            ]
        }
        for result in results where result.outcome == .fail {
            lines += ["", "### ❌ `\(result.id)`", "", result.summary.markdown, ""]
            lines += result.failures.map { "- \($0.message.markdown) (`\($0.place)`)" }
            lines += ["", "Run it again: `\(result.rerun)`"]
        }
        for outcome in [CheckOutcome.knownFailing, .unverified, .notApplicable] {
            let reasons = reasons(of: outcome)
            if reasons.isEmpty { continue }
            lines += ["", "### \(outcome.rawValue.capitalized)", ""]
            lines += reasons.map { reason, ids in
                "- " + ids.map { "`\($0)`" }.joined(separator: ", ") + ": \(reason.markdown)"
            }
        }
        lines += ["", "Seed `\(seed)`, \(Self.text(seconds)) s."]
        return lines.joined(separator: "\n")
    }
}

extension String {
    /// The text on one line, with the characters escaped that Markdown would interpret.
    fileprivate var markdown: String {
        reduce(into: "") { text, character in
            switch character {
            case "\\", "`", "*", "_", "[", "]", "<", ">", "|", "#": text += "\\\(character)"
            case let space where space.isNewline: text += " "
            default: text.append(character)
            }
        }
    }
}
