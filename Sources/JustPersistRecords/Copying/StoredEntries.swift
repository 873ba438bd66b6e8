package import JustPersist

/// An entry of a store as it is kept: for looking at bytes, also those of damaged records.
package struct StoredEntry: Sendable {
    /// The part of the store that an entry belongs to.
    package enum Part: String, Sendable, CaseIterable {
        case header, catalog, counter, record, index, changes, links, work, engine

        fileprivate var tag: UInt8 {
            switch self {
            case .header: KeySpace.headerTag
            case .catalog: KeySpace.catalogTag
            case .counter: KeySpace.counterTag
            case .record: KeySpace.recordTag
            case .index: KeySpace.indexTag
            case .changes: KeySpace.changeTag
            case .links: KeySpace.linkTag
            case .work: KeySpace.workTag
            case .engine: KeySpace.engineTag
            }
        }

        init?(tag: UInt8?) {
            guard let part = Self.allCases.first(where: { $0.tag == tag }) else { return nil }
            self = part
        }
    }

    package let key: [UInt8]
    /// The first bytes of the value.
    package let value: [UInt8]
    /// The number of all its bytes.
    package let size: Int
    /// `nil` for a key that no release writes.
    package let part: Part?
    /// The key of the type to which the entry belongs, if that is known.
    package let type: String?
    /// The item of a record.
    package let id: ItemID?
    /// Whether the checksum and the layout of a record are right; `nil` for other entries, which are checked with the
    /// whole store.
    package let isSound: Bool?
}

extension StoredRecords {
    /// The entries of a part of the store, from a key on.
    ///
    /// - Parameters:
    ///   - part: The part; `nil` for all.
    ///   - number: The number of the only type whose entries are read, in parts that have types.
    ///   - key: The first key that is wanted; `nil` for the first of the part.
    ///   - valueBytes: The most bytes of each value.
    package func entries(
        of part: StoredEntry.Part?, type number: UInt32?, from key: [UInt8]?, limit: Int,
        valueBytes: Int
    ) throws(DataStoreError) -> [StoredEntry] {
        var range = KeyRange.all
        if let part {
            range = KeyRange(
                prefix: number.map { KeySpace.key(part.tag, type: $0) } ?? [part.tag])
        }
        if let key { range = range.intersection(KeyRange(from: key, upTo: nil)) }
        var entries: [StoredEntry] = []
        if limit < 1 { return entries }
        try block.reader.scan(range, reversed: false) { (key, value) throws(DataStoreError) in
            entries.append(entry(key, value, valueBytes))
            return entries.count < limit ? .next : .stop
        }
        return entries
    }

    private func entry(_ key: Span<UInt8>, _ value: Span<UInt8>, _ valueBytes: Int) -> StoredEntry {
        let part = StoredEntry.Part(tag: key.isEmpty ? nil : key[0])
        var type: CatalogType?
        if let part, [.catalog, .counter, .record, .index].contains(part), key.count >= 5 {
            type = catalog[key.word32(at: 1).byteSwapped]
        }
        let record = part == .record ? RecordKey.parts(of: key) : nil
        return StoredEntry(
            key: key.copied(), value: value.copied(0..<valueBytes), size: value.count, part: part,
            type: type?.key, id: record?.id,
            isSound: record.map {
                value.count >= RecordFormat.headerLength
                    && RecordFormat.hasChecksum(value, type: $0.type, id: $0.id)
                    && RecordFormat.Table(value) != nil
            })
    }
}
