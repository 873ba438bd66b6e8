import JustPersist
import JustPersistRecords

/// The space that the entries of a store take.
extension StoreView {
    private struct Sizes: Encodable {
        struct Share: Encodable {
            let part: String
            let type: String?
            let index: [String]?
            let entries: Int
            let bytes: Int
            let largest: Int
            let histogram: [Int]
        }

        let shares: [Share]
        let space: EngineSpace?
    }

    func stats(_ events: EventStream) async throws {
        guard let rawStore else {
            throw DataStoreError(
                .unsupported, in: "inspect",
                "This kind of store has no entries of its own to count.")
        }
        let sizes = try await inThread {
            var shares: [Sizes.Share] = []
            var progress = ProgressEvents(events)
            try rawStore.readRecords { records in
                let statistics = try records.statistics { try progress.report($0) }
                shares = statistics.shares.map {
                    .init(
                        part: $0.part?.rawValue ?? "unknown", type: $0.type, index: $0.index,
                        entries: $0.entries, bytes: $0.keyBytes + $0.valueBytes,
                        largest: $0.largest, histogram: $0.histogram)
                }
            }
            return Sizes(shares: shares, space: try rawStore.engineSpace())
        }
        events.send("report", sizes)
    }
}
