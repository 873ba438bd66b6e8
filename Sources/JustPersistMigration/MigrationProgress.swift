/// The progress of a migration.
public struct MigrationProgress: Sendable {
    /// The phases of a migration.
    public enum Phase: Sendable {
        /// The source is searched for values that the target cannot hold, or a target with items is compared with the
        /// source.
        ///
        /// There may be several such passes, each with items from 0 on, or none.
        case checking
        /// Items are written to the target.
        case copying
        /// The target is read and compared.
        case verifying
        /// The migration is complete.
        case finished
    }

    /// The present phase.
    public internal(set) var phase = Phase.checking
    /// The type whose items were last read, copied or compared.
    public internal(set) var itemType = ""
    /// The number of items of all types that this phase has processed.
    public internal(set) var items = 0
    /// The number of items of all types in the source.
    public internal(set) var totalItems: Int
    /// The size in bytes of those items: of the records or, if they are copied as items, approximately that of the
    /// values.
    public internal(set) var bytes = 0
    /// The time since the phase began.
    public private(set) var elapsed = Duration.zero
    /// The result of the migration; only in the last element.
    public internal(set) var report: Migration.Report?
    private var start = ContinuousClock.now

    init(totalItems: Int) { self.totalItems = totalItems }

    /// The items per second in this phase so far.
    public var itemsPerSecond: Double {
        let seconds = elapsed / .seconds(1)
        return seconds > 0 ? Double(items) / seconds : 0
    }

    /// The estimated remaining time of the phase; `nil` if it cannot be estimated.
    public var timeLeft: Duration? {
        guard items > 0, elapsed > .zero else { return nil }
        return elapsed * (Double(max(0, totalItems - items)) / Double(items))
    }

    mutating func begin(_ phase: Phase) {
        self.phase = phase
        items = 0
        bytes = 0
        elapsed = .zero
        start = .now
    }

    mutating func advance(_ itemType: String, items: Int, bytes: Int) {
        self.itemType = itemType
        self.items += items
        self.bytes += bytes
        elapsed = start.duration(to: .now)
    }

    /// Counts a checked item, and reports the progress after every batch of items.
    mutating func noteChecked(
        _ itemType: String, every count: Int, _ report: (MigrationProgress) throws -> Void
    ) throws {
        self.itemType = itemType
        items += 1
        if items % count != 0 { return }
        elapsed = start.duration(to: .now)
        try report(self)
    }

    /// Continues in a phase, from 0 if it is a new one.
    mutating func advance(_ phase: Phase, _ itemType: String, items: Int) {
        if phase != self.phase { begin(phase) }
        advance(itemType, items: items, bytes: 0)
    }

    mutating func finish(_ report: Migration.Report) {
        phase = .finished
        self.report = report
    }
}
