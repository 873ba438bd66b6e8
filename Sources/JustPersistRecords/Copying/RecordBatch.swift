package import JustPersist

/// Records of a type as they are stored, in the order of their ids.
package struct RecordBatch: Sendable {
    package let type: StoredRecords.StoredType
    package private(set) var ids: [ItemID] = []
    /// The records, one after the other.
    private(set) var bytes: [UInt8] = []
    private var ends: [Int] = []

    init(type: StoredRecords.StoredType) { self.type = type }

    /// The number of records.
    package var count: Int { ids.count }

    /// The bytes of all records.
    package var size: Int { bytes.count }

    mutating func append(_ id: ItemID, _ record: Span<UInt8>) {
        ids.append(id)
        bytes.append(copying: record)
        ends.append(bytes.count)
    }

    /// Calls `body` with the record at a place.
    @inline(__always)
    func withRecord<Value, Failure: Error>(
        at place: Int, _ body: (Span<UInt8>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let bytes = bytes
        let start = place == 0 ? 0 : ends[place - 1]
        return try body(bytes.span.extracting(start..<ends[place]))
    }

    /// Calls `body` with the checksum of each record and its key.
    package func forEachChecksum(_ body: (UInt64) -> Void) {
        let bytes = bytes
        let span = bytes.span
        var start = 0
        for end in ends {
            body(span.word64(at: start))
            start = end
        }
    }
}
