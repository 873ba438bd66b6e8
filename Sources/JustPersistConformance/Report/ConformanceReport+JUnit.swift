extension ConformanceReport {
    /// The report as JUnit XML, with a suite for each group.
    ///
    /// JUnit XML has no outcome for unverified checks. They count as skipped, with their reason, and so do checks that
    /// are not applicable, known to fail, or failing but advisory.
    var junitText: String {
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#,
            """
            <testsuites name="\(store.xml)" tests="\(results.count)" failures="\(failed(results))" \
            skipped="\(skipped(results))" time="\(Self.text(seconds))">
            """,
        ]
        for (group, results) in groups {
            let time = results.reduce(0) { $0 + $1.seconds }
            lines.append(
                """
                  <testsuite name="\(group.xml)" tests="\(results.count)" failures="\(failed(results))" \
                skipped="\(skipped(results))" time="\(Self.text(time))">
                """)
            lines += results.flatMap(testCase)
            lines.append("  </testsuite>")
        }
        lines.append("</testsuites>")
        return lines.joined(separator: "\n")
    }

    private func failed(_ results: [CheckResult]) -> Int {
        results.count { $0.outcome == .fail && !$0.isAdvisory }
    }

    private func skipped(_ results: [CheckResult]) -> Int {
        results.count { $0.outcome != .pass } - failed(results)
    }

    private func testCase(_ result: CheckResult) -> [String] {
        let head = """
                <testcase classname="\(store.xml).\(result.group.xml)" name="\(result.id.xml)" \
            time="\(Self.text(result.seconds))"
            """
        switch result.outcome {
        case .pass: return [head + "/>"]
        case .fail where result.isAdvisory:
            let message = "advisory: \(result.failures.first?.message ?? result.summary)"
            return [head + ">", "      <skipped message=\"\(message.xml)\"/>", "    </testcase>"]
        case .fail:
            let message = result.failures.first?.message ?? result.summary
            return [
                head + ">",
                "      <failure message=\"\(message.xml)\">\(result.description.xml)</failure>",
                "    </testcase>",
            ]
        case .notApplicable, .knownFailing, .unverified:
            let message = "\(result.outcome.rawValue): \(result.reason ?? "")"
            return [head + ">", "      <skipped message=\"\(message.xml)\"/>", "    </testcase>"]
        }
    }
}

extension String {
    /// The text in an attribute or element of XML 1.0, which cannot hold most control characters.
    fileprivate var xml: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "\n": text += "&#10;"
            case "\t": text += "&#9;"
            case "\r": text += "&#13;"
            case "\u{20}"..."\u{d7ff}", "\u{e000}"..."\u{fffd}", "\u{10000}"..."\u{10ffff}":
                text.unicodeScalars.append(scalar)
            default: text += "\u{fffd}"
            }
        }
    }
}
