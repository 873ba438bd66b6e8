import JustPersist

extension IsolationChecks {
    /// Random blocks over lists, and whether any order of whole blocks explains what they saw.
    static let histories: [CheckDefinition] = [
        CheckDefinition(
            "iso/elle-list-append", clause: [4, 5],
            "The reads and writes of random blocks are explained by an order of them that real time allows."
        ) { check in
            let count = check.profile.pick(quick: 500, full: 10_000, soak: 100_000)
            let history = try ListAppendWorkload(check, transactionCount: count).run()
            check.expectNoAnomaly(in: history)
            check.measure("blocks", Double(history.transactions.count), unit: "")
        },
        CheckDefinition(
            "iso/elle-through-children", clause: [4, 5, 15], gate: .requires(.childStores),
            """
            What random blocks read and wrote, half of them in children whose merges may not conflict, is explained by \
            some order of blocks and merges.
            """
        ) { check in
            let count = check.profile.pick(quick: 500, full: 10_000, soak: 400_000)
            // More lists than above, or most merges would find that others were faster.
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
    /// Expects that some order of transactions explains a history, as far as the store declares so.
    fileprivate func expectNoAnomaly(in history: History) {
        let anomalies = HistoryAnalysis(history).anomalies
        // One of each kind.
        let found = HistoryAnomaly.Kind.allCases.compactMap { kind in
            kind == .g2Item && capabilities.isolation < .serializable
                ? nil : anomalies.first { $0.kind == kind }
        }
        expect(found.isEmpty, found.map(\.description).joined(separator: "\n\n"))
    }
}
