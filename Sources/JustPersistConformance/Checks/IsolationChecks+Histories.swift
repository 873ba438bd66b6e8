import JustPersist

extension IsolationChecks {
    /// Random blocks over lists, and whether any order of whole blocks explains what they saw.
    static let histories: [CheckDefinition] = [
        CheckDefinition(
            "iso/elle-list-append", clause: [4, 5],
            "What random blocks read and wrote is explained by some order of them, which real time allows."
        ) { check in
            let count = check.profile.pick(quick: 500, full: 10_000, soak: 100_000)
            let history = try ListAppendWorkload(check, transactionCount: count).run()
            let anomalies = HistoryAnalysis(history).anomalies
            for kind in HistoryAnomaly.Kind.allCases {
                let anomaly = anomalies.first { $0.kind == kind }
                if kind == .g2Item, check.capabilities.isolation < .serializable { continue }
                check.expect(anomaly == nil, "\(anomaly?.description ?? "")")
            }
            check.measure("blocks", Double(history.transactions.count), unit: "")
        }
    ]
}
