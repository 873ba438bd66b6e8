import JustPersist

/// Writes records into one buffer, used again for each.
struct RecordEncoder {
    /// The record written last.
    private(set) var bytes: [UInt8] = []
    private var merged: [RecordChanges.Entry] = []

    /// Writes the fields of `old`, an empty span for a new record, under `changes`.
    mutating func encode(_ changes: RecordChanges, over old: Span<UInt8>, seed: UInt64) {
        let table = RecordFormat.Table(old)
        let isPlain = table == nil
        if !isPlain { merge(changes, over: old, table) }
        let fields = isPlain ? changes.entries : merged
        let payloadLength = fields.reduce(0) { $0 + $1.length }
        let isWide =
            payloadLength > Int(UInt16.max) || (fields.last?.attribute ?? 0) > 0xFFF

        bytes.removeAll(keepingCapacity: true)
        bytes.append(
            contentsOf: repeatElement(
                0, count: RecordFormat.headerLength + fields.count * (isWide ? 8 : 4)))
        bytes[8] = RecordFormat.version
        bytes[9] = isWide ? RecordFormat.wideFlag : 0
        bytes.store(littleEndian: UInt16(truncatingIfNeeded: fields.count), at: 10)
        bytes.storeTable(of: fields, isWide: isWide, at: RecordFormat.headerLength)
        if isPlain, changes.isContiguous {
            bytes.append(contentsOf: changes.payload)
        } else {
            for field in fields {
                if field.isStored {
                    bytes.append(old, field.range)
                } else {
                    bytes.append(contentsOf: changes.payload[field.range])
                }
            }
        }
        bytes.store(littleEndian: bytes.span.wyhash(8..<bytes.count, seed: seed), at: 0)
    }

    private mutating func merge(
        _ changes: RecordChanges, over old: Span<UInt8>, _ table: RecordFormat.Table?
    ) {
        merged.removeAll(keepingCapacity: true)
        var changed = 0
        for index in 0..<(table?.count ?? 0) {
            guard let field = table?.field(at: index, in: old) else { continue }
            while changed < changes.entries.count,
                changes.entries[changed].attribute < field.attribute
            {
                merged.append(changes.entries[changed])
                changed += 1
            }
            if changed < changes.entries.count,
                changes.entries[changed].attribute == field.attribute
            {
                continue
            }
            merged.append(
                RecordChanges.Entry(
                    attribute: field.attribute, tag: field.tag, isStored: true,
                    start: UInt32(field.start), end: UInt32(field.end)))
        }
        merged.append(contentsOf: changes.entries[changed...])
    }
}
