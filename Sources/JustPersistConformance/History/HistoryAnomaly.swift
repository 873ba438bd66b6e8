/// An observation in a history that no serial execution explains, with a description of the evidence.
struct HistoryAnomaly: Sendable {
    /// The kinds.
    ///
    /// Those that show the cause most clearly come first.
    enum Kind: String, Sendable, CaseIterable {
        /// A read returned a value that no transaction appended.
        case garbageRead = "garbage read"
        /// A read returned one value twice.
        case duplicate = "duplicate"
        /// A transaction did not see its own appends, or saw a list change between two reads.
        case `internal` = "internal"
        /// Two reads of a list differ in more than their length.
        case incompatibleOrder = "incompatible order"
        /// A value of a transaction that was rolled back was read.
        case g1a = "G1a"
        /// A value was read, although its transaction later appended more to the list.
        case g1b = "G1b"
        /// A committed value was appended after one that was rolled back.
        case dirtyUpdate = "dirty update"
        /// Two transactions changed a list, and neither had seen the other's change.
        case lostUpdate = "lost update"
        /// The order of the transactions' writes has a cycle.
        case g0 = "G0"
        /// The order of writes and of reads of written values has a cycle.
        case g1c = "G1c"
        /// A cycle with one read that missed a write: read skew, or a stale read.
        case gSingle = "G-single"
        /// A cycle with several reads that missed writes: write skew.
        case g2Item = "G2-item"
    }

    let kind: Kind
    /// A description of the first case found, with the names of the transactions.
    let witness: String
    /// The number of cases found.
    ///
    /// The cycles of one component count as one.
    var count = 1
}

extension HistoryAnomaly: CustomStringConvertible {
    var description: String {
        let times = count == 1 ? "" : " (\(count) cases; the first)"
        return "\(kind.rawValue)\(times): \(witness)"
    }
}
