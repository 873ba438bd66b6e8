extension DataStoreRequest {
    /// The range of the matching items that a request returns.
    public struct Slice: Sendable, Hashable {
        /// The number of items that are skipped.
        public let offset: Int
        /// The maximum number of items that follow; `nil` for no limit.
        public let limit: Int?

        init(_ offset: Int?, _ limit: Int?) {
            self.offset = offset ?? 0
            self.limit = limit == 0 ? nil : limit
        }

        /// The number of leading items that determine the slice, which is `offset + limit`; `nil` without a limit.
        public var end: Int? {
            guard let limit else { return nil }
            let (sum, overflows) = offset.addingReportingOverflow(limit)
            return overflows ? nil : sum
        }

        /// The number of items in the slice, out of `total`.
        public func count(of total: Int) -> Int {
            let rest = max(0, total - offset)
            return limit.map { min($0, rest) } ?? rest
        }
    }

    /// The range of the matching items that this request returns.
    ///
    /// Call ``validate(operators:textOrders:stored:)`` first.
    public var slice: Slice { parts.slice }
}
