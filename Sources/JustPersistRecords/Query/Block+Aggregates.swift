import JustPersist

/// Aggregates, computed on the bytes of the records in one pass.
extension Block {
    /// Computes an aggregation over the items that match a request's predicate.
    func aggregate(
        _ request: DataStoreRequest, _ aggregation: DataStoreAggregation
    ) throws(DataStoreError) -> [DataStoreRow] {
        try checkOpen("aggregate")
        try prepareForQuery()
        let names = try blockType(request.type).namesForQuery
        var grouping = try RowGrouping(request.copy(), aggregation, of: names)
        if grouping.countsItemsOnly {
            grouping.count(try count(grouping.items), at: 0)
            return try grouping.rows()
        }
        let query = try Query(grouping.items, in: self)
        if let grouped = try groupedEntries(query, grouping) { return try grouped.rows() }
        var reader = GroupedRecords(grouping, query.type)
        try rows(query, try access(for: query)) { (id, record) throws(DataStoreError) in
            try reader.add(id, record, in: self)
        }
        return try reader.grouping.rows()
    }
}

/// Sorts the records of a type into groups.
private struct GroupedRecords {
    var grouping: RowGrouping
    private let type: BlockType
    private let keys: [QueryAttribute?]
    private let operands: [QueryAttribute?]
    /// Whether each key is a single attribute, so that its bytes identify the group.
    private let keysAreFields: Bool
    private var rawKeys = RawKeys()
    /// The bytes of a record's keys, if there are several.
    private var bytes: [UInt8] = []

    /// The tag for a key for which the record has no field.
    private static let missing: UInt8 = 0xFF
    /// The tag for a combination of several keys.
    private static let several: UInt8 = 0xFE

    init(_ grouping: RowGrouping, _ type: BlockType) {
        self.grouping = grouping
        self.type = type
        keys = grouping.keys.map { type.attributeForQuery($0) }
        operands = grouping.operands.map { type.attributeForQuery($0) }
        keysAreFields = !keys.isEmpty && keys.allSatisfy { $0 != nil }
    }

    /// Adds a record, whose checksum the caller has verified.
    mutating func add(
        _ id: ItemID, _ record: Span<UInt8>, in block: Block
    ) throws(DataStoreError) {
        guard let table = RecordFormat.Table(record) else { throw type.corrupted(id) }
        // Made once for all values that it takes.
        var subject: RecordSubject?
        let place = try group(of: id, record, table, block, &subject)
        grouping.count(at: place)
        for index in operands.indices {
            if let word = operands[index]?.word(in: record, table) {
                if word.tag == ValueTag.int {
                    let number = Int64(bitPattern: word.bits)
                    grouping.add(integer: number, at: place, operand: index)
                    continue
                }
                if word.tag == ValueTag.double {
                    let number = Double(bitPattern: word.bits)
                    grouping.add(double: number, at: place, operand: index)
                    continue
                }
            }
            let value = try value(
                grouping.operands[index], operands[index], id, record, table, block, &subject)
            try grouping.add(value, at: place, operand: index)
        }
    }

    @inline(__always)
    private mutating func group(
        of id: ItemID, _ record: Span<UInt8>, _ table: RecordFormat.Table, _ block: Block,
        _ subject: inout RecordSubject?
    ) throws(DataStoreError) -> Int {
        if keys.isEmpty { return 0 }
        guard keysAreFields else {
            return try newGroup(of: id, record, table, block, &subject)
        }
        if keys.count == 1 {
            let field = keys[0].flatMap { $0.field(in: record, table) }
            let key = record.extracting(field?.range ?? 0..<0)
            let tag = field?.tag ?? Self.missing
            if let group = rawKeys.group(of: key, tag: tag) { return group }
            let group = try newGroup(of: id, record, table, block, &subject)
            rawKeys.note(key, tag: tag, group: group)
            return group
        }
        bytes.removeAll(keepingCapacity: true)
        for key in keys {
            let field = key?.field(in: record, table)
            let range = field?.range ?? 0..<0
            bytes.append(field?.tag ?? Self.missing)
            bytes.append(littleEndian: UInt32(truncatingIfNeeded: range.count))
            for index in range { bytes.append(record[index]) }
        }
        if let group = rawKeys.group(of: bytes.span, tag: Self.several) { return group }
        let group = try newGroup(of: id, record, table, block, &subject)
        let key = bytes
        rawKeys.note(key.span, tag: Self.several, group: group)
        return group
    }

    /// Returns the group with these values of the keys.
    ///
    /// It may already exist, under other bytes.
    private mutating func newGroup(
        of id: ItemID, _ record: Span<UInt8>, _ table: RecordFormat.Table, _ block: Block,
        _ subject: inout RecordSubject?
    ) throws(DataStoreError) -> Int {
        var values: [DataStoreValue] = []
        for index in keys.indices {
            values.append(
                try value(
                    grouping.keys[index], keys[index], id, record, table, block, &subject))
        }
        return grouping.place(of: values)
    }

    private func value(
        _ key: RequestKey, _ attribute: QueryAttribute?, _ id: ItemID,
        _ record: Span<UInt8>, _ table: RecordFormat.Table, _ block: Block,
        _ subject: inout RecordSubject?
    ) throws(DataStoreError) -> DataStoreValue {
        if let attribute {
            if let value = attribute.value(in: record, table, block.known) { return value }
            throw type.corrupted(id, attribute: attribute.name)
        }
        let known =
            subject ?? RecordSubject(type: type, id: id, record: record.copied(), block: block)
        subject = known
        return try key.value(for: known)
    }
}
