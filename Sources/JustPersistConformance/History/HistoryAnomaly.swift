/// Something in a history that no serial execution explains, with the evidence in words.
struct HistoryAnomaly: Sendable {
    /// The kinds, the ones that say most about the cause first.
    enum Kind: String, Sendable, CaseIterable {
        /// A read returned a value that no transaction appended.
        case garbageRead = "garbage read"
        /// A read returned one value twice.
        case duplicate = "duplicate"
        /// A transaction did not see its own appends, or saw a list change under it.
        case `internal` = "internal"
        /// Two reads of a list differ in more than their length.
        case incompatibleOrder = "incompatible order"
        /// A value of a transaction that was rolled back was read.
        case g1a = "G1a"
        /// A value was read after which its own transaction appended more.
        case g1b = "G1b"
        /// A committed value was appended after one that was rolled back.
        case dirtyUpdate = "dirty update"
        /// Two transactions changed a list, and neither had seen the other's change.
        case lostUpdate = "lost update"
        /// Writes of transactions are ordered in a circle.
        case g0 = "G0"
        /// Information flows in a circle.
        case g1c = "G1c"
        /// A circle with one read that missed a write: read skew, or a stale read.
        case gSingle = "G-single"
        /// A circle with several reads that missed writes: write skew.
        case g2Item = "G2-item"
    }

    let kind: Kind
    /// A description of the first case found, with the names of the transactions.
    let witness: String
    /// How many cases were found; circles that hang together count as one.
    var count = 1
}

extension HistoryAnomaly: CustomStringConvertible {
    var description: String {
        let times = count == 1 ? "" : " (\(count) cases; the first)"
        return "\(kind.rawValue)\(times): \(witness)"
    }
}
