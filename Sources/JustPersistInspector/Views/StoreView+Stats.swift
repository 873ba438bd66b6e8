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

        struct Space: Encodable {
            struct Reader: Encodable {
                let process: Int
                let age: UInt64
            }

            let pageSize: Int
            let pages: Int
            let freePages: Int
            let pinnedPages: Int
            let readers: [Reader]
        }

        let shares: [Share]
        let space: Space?
    }

    func stats(_ events: EventStream) async throws {
        guard let rawStore else {
            throw DataStoreError(
                .unsupported, in: "inspect",
                "This kind of store has no entries of its own to count.")
        }
        let sizes = try await inThread {
            var shares: [Sizes.Share] = []
            var last = ContinuousClock.now
            try rawStore.readRecords { records in
                let statistics = try records.statistics { count in
                    try WorkLimit.check()
                    guard ContinuousClock.now - last > .milliseconds(100) else { return }
                    last = .now
                    events.send("progress", Progress(items: count, fraction: nil, type: nil))
                }
                shares = statistics.shares.map {
                    .init(
                        part: $0.part?.rawValue ?? "unknown", type: $0.type, index: $0.index,
                        entries: $0.entries, bytes: $0.keyBytes + $0.valueBytes,
                        largest: $0.largest, histogram: $0.histogram)
                }
            }
            let space = try rawStore.engineSpace().map {
                Sizes.Space(
                    pageSize: $0.pageSize, pages: $0.pages, freePages: $0.freePages,
                    pinnedPages: $0.pinnedPages,
                    readers: $0.readers.map { .init(process: $0.process, age: $0.age) })
            }
            return Sizes(shares: shares, space: space)
        }
        events.send("report", sizes)
    }
}
