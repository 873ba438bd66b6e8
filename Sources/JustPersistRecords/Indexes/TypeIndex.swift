import JustPersist

/// An index of a type as one block uses it: it makes the entries of records.
final class TypeIndex {
    let number: UInt16
    let isUnique: Bool
    let ignoresCase: Bool
    let components: [Component]
    /// The attributes that the entries depend on.
    let attributes: AttributeSet
    /// The common prefix of the keys of all entries.
    let prefix: [UInt8]
    /// The length to which texts are truncated.
    let longestText: Int
    private let types: BlockCatalog

    struct Component {
        let attribute: QueryAttribute
        /// The names that follow the attribute in the key path; empty for the attribute's own value.
        let path: [String]
    }

    /// An index of a store's catalog, with the latest declaration of its attributes.
    init(_ index: CatalogIndex, of type: CatalogType, _ types: BlockCatalog) {
        number = index.number
        isUnique = index.isUnique
        ignoresCase = index.ignoresCase
        components = index.components.map { component in
            Component(
                attribute: QueryAttribute(
                    id: component.attribute, type.attributes[Int(component.attribute)].schema),
                path: component.path)
        }
        var attributes = AttributeSet()
        for component in index.components { attributes.insert(component.attribute) }
        self.attributes = attributes
        prefix = IndexKey.prefix(type: type.number, index: index.number)
        longestText = IndexKey.longestText(components: index.components.count)
        self.types = types
    }

    /// The names of the attributes, with the paths below them.
    var names: [String] {
        components.map { ([$0.attribute.name] + $0.path).joined(separator: ".") }
    }

    /// The value that the keys of entries encode for a value: case is folded if the index ignores it.
    func compared(_ value: DataStoreValue) -> DataStoreValue {
        ignoresCase ? TextOrder.caseInsensitive.key(value) : value
    }

    /// The keys of all entries.
    var range: KeyRange { KeyRange(prefix: prefix) }

    /// Adds the keys of a record's entries; returns false if one of its values cannot be read.
    ///
    /// Usually this is one entry. In an index over one attribute, an array also has one for each of its elements.
    func addEntries(of record: Span<UInt8>, id: ItemID, to entries: inout IndexEntries) -> Bool {
        guard let table = RecordFormat.Table(record) else { return false }
        entries.begin(prefix)
        // Uniqueness applies only if each component is a single value, neither null nor NaN.
        var isComparable = true
        var isCut = false
        for component in components {
            let field = component.attribute.id.flatMap { table.field($0, in: record) }
            if let field, component.path.isEmpty, component.attribute.isPlain(tag: field.tag) {
                switch field.tag {
                case ValueTag.int where field.range.count == 8:
                    let value = Int64(bitPattern: record.word64(at: field.start))
                    if entries.bytes.appendComponent(value) == .cut { isCut = true }
                    continue
                case ValueTag.double where field.range.count == 8:
                    let value = Double(bitPattern: record.word64(at: field.start))
                    entries.bytes.appendNumber(value, isAbove: false)
                    if value.isNaN { isComparable = false }
                    continue
                case ValueTag.plainText where !ignoresCase:
                    entries.bytes.append(IndexKey.text)
                    let precision = entries.bytes.append(
                        ordered: record.extracting(field.range), longest: longestText)
                    if precision == .cut { isCut = true }
                    continue
                default: break
                }
            }
            guard let value = self.value(of: component, record, table) else { return false }
            switch value {
            case .known(.array(let elements)) where components.count == 1:
                entries.discard()
                addEntries(ofElements: elements, id, to: &entries)
                return true
            case .known(let value):
                switch value {
                case .null, .array, .dictionary: isComparable = false
                default: if !value.isEqual(to: value) { isComparable = false }
                }
                let precision = entries.bytes.append(
                    component: compared(value), longest: longestText)
                if precision == .cut { isCut = true }
            case .unknown:
                isComparable = false
                entries.bytes.append(IndexKey.unknown)
            }
        }
        entries.end(id, isUnique: isUnique && isComparable, isCut: isCut)
        return true
    }

    private func addEntries(
        ofElements elements: [DataStoreValue], _ id: ItemID, to entries: inout IndexEntries
    ) {
        entries.begin(prefix)
        entries.bytes.append(IndexKey.array)
        entries.end(id, isUnique: false, isCut: false)
        var seen: Set<[UInt8]> = []
        for element in elements {
            var component: [UInt8] = []
            let precision = component.append(
                component: compared(element), longest: longestText)
            guard seen.insert(component).inserted else { continue }
            // The entry of the outer array is equal.
            if component == [IndexKey.array] { continue }
            entries.begin(prefix)
            entries.bytes += component
            entries.end(id, isUnique: false, isCut: precision == .cut)
        }
    }

    /// The value of an item for a component.
    enum Value {
        case known(DataStoreValue)
        /// The path continues in another item.
        case unknown
    }

    /// The value of a component in a record; `nil` if its bytes are not a value.
    func value(
        of component: Component, _ record: Span<UInt8>, _ table: RecordFormat.Table
    ) -> Value? {
        guard let value = component.attribute.value(in: record, table, types) else { return nil }
        if component.path.isEmpty { return .known(value) }
        do throws(DataStoreError) {
            return .known(try PathInRecord().value(at: component.path[...], from: value))
        } catch {
            return .unknown
        }
    }
}

/// Follows a path within one record, and throws if it continues in another item.
private struct PathInRecord: PredicateSubject {
    func value(forAttribute name: String) -> DataStoreValue { .null }

    func value(
        forAttribute name: String, of reference: ItemReference
    ) throws(DataStoreError) -> DataStoreValue {
        throw DataStoreError(.unsupported, in: "index", "The value is in another item.")
    }
}

/// A set of attributes by their ids: exact for the first 63, while all others share one bit.
struct AttributeSet {
    private(set) var bits: UInt64 = 0

    /// All attributes.
    static let all = AttributeSet(bits: .max)

    @inline(__always)
    mutating func insert(_ attribute: UInt16) { bits |= 1 << UInt64(min(attribute, 63)) }

    /// Whether an attribute may be in both sets.
    func intersects(_ other: AttributeSet) -> Bool { bits & other.bits != 0 }
}

/// Keys of entries, concatenated in one buffer.
struct IndexEntries {
    struct Entry {
        let start: Int
        let end: Int
        /// Whether no other item may have an entry with the same components.
        let isUnique: Bool
        /// Whether the key does not determine all of the values.
        let isCut: Bool

        var range: Range<Int> { start..<end }
    }

    var bytes: [UInt8] = []
    private(set) var entries: [Entry] = []
    private var start = 0

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
    }

    /// Begins a key; its components are appended to ``bytes``.
    mutating func begin(_ prefix: [UInt8]) {
        start = bytes.count
        bytes += prefix
    }

    /// Discards the current key.
    mutating func discard() { bytes.removeLast(bytes.count - start) }

    /// Ends the current key with the item's id.
    mutating func end(_ id: ItemID, isUnique: Bool, isCut: Bool) {
        bytes.append(id)
        entries.append(Entry(start: start, end: bytes.count, isUnique: isUnique, isCut: isCut))
    }

    /// Adds an entry of another list.
    mutating func append(_ entry: Entry, of other: IndexEntries) {
        let start = bytes.count
        bytes += other.bytes[entry.range]
        entries.append(
            Entry(start: start, end: bytes.count, isUnique: entry.isUnique, isCut: entry.isCut))
    }

    /// Stores the entries, in the order of their keys.
    func write(to writer: any KeyValueWriter) throws(DataStoreError) {
        var value: [UInt8] = [0, 0, 0, 0]
        for entry in sorted {
            let key = bytes.span.extracting(entry.range)
            value.store(littleEndian: IndexKey.checksum(of: key), at: 0)
            try writer.put(value.span, forKey: key)
        }
    }

    /// Compares two keys: negative, zero or positive.
    func compare(_ entry: Entry, _ other: IndexEntries, _ otherEntry: Entry) -> Int {
        bytes.span.compare(entry.range, other.bytes.span.extracting(otherEntry.range))
    }

    /// The entries in the order of their keys, in which an engine writes them fastest.
    var sorted: [Entry] {
        if entries.count < 2 { return entries }
        let span = bytes.span
        return entries.sorted { span.compare($0.range, span.extracting($1.range)) < 0 }
    }
}
