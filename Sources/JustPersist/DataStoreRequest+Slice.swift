extension DataStoreRequest {
    /// The part of all matching items that a request asks for.
    public struct Slice: Sendable, Hashable {
        /// How many are left out at the start.
        public let offset: Int
        /// How many follow at most; `nil` for no limit.
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

        /// How many of `total` items are in the slice.
        public func count(of total: Int) -> Int {
            let rest = max(0, total - offset)
            return limit.map { min($0, rest) } ?? rest
        }
    }

    /// The part of all matching items that this asks for.
    ///
    /// The request should have passed ``validate(operators:textOrders:)``.
    public var slice: Slice { parts.slice }
}
