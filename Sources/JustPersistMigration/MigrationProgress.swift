/// How far a migration has come.
public struct MigrationProgress: Sendable {
    /// What is being done.
    public enum Phase: Sendable {
        /// The source is read for what the target cannot hold, or a target that is not empty is compared with the source.
        ///
        /// There may be several such passes, each with items from 0 on, or none.
        case checking
        /// Items are written to the target.
        case copying
        /// The target is read and compared.
        case verifying
        /// Everything is done.
        case finished
    }

    /// What is being done.
    public internal(set) var phase = Phase.checking
    /// The type whose items were read, copied or compared last.
    public internal(set) var itemType = ""
    /// The items of all types that this phase is done with.
    public internal(set) var items = 0
    /// The items of all types in the source.
    public internal(set) var totalItems: Int
    /// The bytes of those items that this phase is done with: of the records or, through the contract, about those of
    /// the values.
    public internal(set) var bytes = 0
    /// The time since the phase began.
    public private(set) var elapsed = Duration.zero
    /// What was copied; only in the last element.
    public internal(set) var report: Migration.Report?
    private var start = ContinuousClock.now

    init(totalItems: Int) { self.totalItems = totalItems }

    /// The items per second in this phase so far.
    public var itemsPerSecond: Double {
        let seconds = elapsed / .seconds(1)
        return seconds > 0 ? Double(items) / seconds : 0
    }

    /// How long the phase is going to take if it goes on so; `nil` while nothing can be said.
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

    /// Counts an item that was looked at, and reports each time that there are enough of them.
    mutating func noteChecked(
        _ itemType: String, every count: Int, _ report: (MigrationProgress) throws -> Void
    ) throws {
        self.itemType = itemType
        items += 1
        if items % count != 0 { return }
        elapsed = start.duration(to: .now)
        try report(self)
    }

    /// Goes on in a phase, which begins anew if it was another one.
    mutating func advance(_ phase: Phase, _ itemType: String, items: Int) {
        if phase != self.phase { begin(phase) }
        advance(itemType, items: items, bytes: 0)
    }

    mutating func finish(_ report: Migration.Report) {
        phase = .finished
        self.report = report
    }
}
