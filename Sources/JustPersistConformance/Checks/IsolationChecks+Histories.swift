import JustPersist

extension IsolationChecks {
    /// Checks whether an order of whole blocks explains the reads of random blocks over lists.
    static let histories: [CheckDefinition] = [
        CheckDefinition(
            "iso/elle-list-append", clause: [4, 5],
            "An order of the blocks that is consistent with real time explains the reads and writes of random blocks."
        ) { check in
            let count = check.profile.pick(quick: 500, full: 10_000, soak: 100_000)
            let history = try ListAppendWorkload(check, transactionCount: count).run()
            check.expectNoAnomaly(in: history)
            check.measure("blocks", Double(history.transactions.count), unit: "")
        },
        CheckDefinition(
            "iso/elle-through-children", clause: [4, 5, 15], gate: .requires(.childStores),
            """
            Some order of blocks and merges explains the reads and writes of random blocks, half of which run in \
            children whose merges must not conflict.
            """
        ) { check in
            let count = check.profile.pick(quick: 500, full: 10_000, soak: 400_000)
            // More lists than above, because otherwise most merges would be in conflict.
            let history = try ListAppendWorkload(
                check, ListAppendWorkload.throughChildren, transactionCount: count, listsInUse: 20
            ).run()
            check.expectNoAnomaly(in: history)
            check.measure("transactions", Double(history.transactions.count), unit: "")
            check.measure(
                "committed", Double(history.transactions.count { $0.isCommitted }), unit: "")
            check.measure("merged", Double(ListAppendWorkload.merges(in: history)), unit: "")
        },
    ]
}

extension CheckContext {
    /// Expects that some order of transactions explains a history, as far as the store's isolation requires it.
    fileprivate func expectNoAnomaly(in history: History) {
        let anomalies = HistoryAnalysis(history).anomalies
        // At most one anomaly of each kind is reported.
        let found = HistoryAnomaly.Kind.allCases.compactMap { kind in
            kind == .g2Item && capabilities.isolation < .serializable
                ? nil : anomalies.first { $0.kind == kind }
        }
        expect(found.isEmpty, found.map(\.description).joined(separator: "\n\n"))
    }
}
