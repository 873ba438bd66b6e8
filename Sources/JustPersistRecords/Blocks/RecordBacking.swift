import Foundation
import JustPersist

/// An item's values: a copy of its record, decoded when they are asked for, and the changes beside it.
final class RecordBacking: ItemBacking {
    private(set) var type: BlockType
    let id: ItemID
    /// The block that the item was got in; it is live in a write block.
    private(set) var block: Block
    /// The record as it was read, its checksum verified; empty for an item made in this block.
    let record: [UInt8]
    /// What was set since.
    private(set) var changes = RecordChanges()
    /// Whether the block must still write the item.
    var isDirty = false
    var isDeleted = false
    /// Whether values are set that the class is declared with: the recorded defaults among them need not be stored.
    private var isInitial = false
    /// The bytes that the block counts for the item: none until it is changed.
    var countedBytes = 0

    init(_ type: BlockType, id: ItemID, record: [UInt8], block: Block) {
        self.type = type
        self.id = id
        self.record = record
        self.block = block
    }

    var itemTypeKey: String { type.itemType.key }
    /// For a type without a class none on another thread than the block's: the store may learn of others meanwhile.
    var attributeNames: [String] {
        if type.itemType.schema == nil, !mayBeRead { return [] }
        return type.attributeNames
    }

    /// The bytes that writing the item takes, more or less.
    var bytesToWrite: Int {
        record.count + changes.usedBytes + RecordFormat.headerLength + RecordKey.length
    }

    /// Whether the item was made in a write block that was rolled back, so that it is in no store.
    var isOfRolledBackBlock: Bool {
        guard let block = block.writeBlock, block.thread.hasEnded else { return false }
        return !block.isCommitted && record.isEmpty && !isDeleted
    }

    /// Makes the item a new one of another block.
    func move(to block: WriteBlock, as type: BlockType, changes: RecordChanges) {
        self.block = block
        self.type = type
        self.changes = changes
        isDirty = false
        countedBytes = 0
    }

    func value(at index: Int) throws(DataStoreError) -> DataStoreValue {
        try checkReading()
        guard let attribute = type.id(at: index) else {
            return type.attribute(atPlace: index)?.value(stored: nil) ?? .null
        }
        return try value(of: attribute, atPlace: index)
    }

    func value(forAttribute name: String) throws(DataStoreError) -> DataStoreValue {
        try checkReading()
        let place = try type.place(ofAttribute: name, in: "value")
        guard let attribute = type.id(atPlace: place) else {
            return type.attribute(atPlace: place)?.value(stored: nil) ?? .null
        }
        return try value(of: attribute, atPlace: place)
    }

    func value(
        forAttribute name: String, of reference: ItemReference
    ) throws(DataStoreError) -> DataStoreValue {
        try block.checkOpen("value")
        try block.prepareForQuery()
        return try block.value(forAttribute: name, of: reference)
    }

    func setValue(_ value: DataStoreValue, at index: Int) throws(DataStoreError) {
        try setValue(value, atPlace: index, name: nil)
    }

    func setValue(
        _ value: DataStoreValue, forAttribute name: String
    ) throws(DataStoreError) {
        guard block.writeBlock != nil, block.thread.isCurrent, !isDeleted else {
            throw refusal(name)
        }
        try setValue(value, atPlace: try type.place(ofAttribute: name, in: "setValue"), name: name)
    }

    func withInitialValues(_ body: () -> Void) {
        isInitial = true
        body()
        isInitial = false
    }

    func report(_ error: DataStoreError) {
        if let block = block.writeBlock { block.report(error) } else { type.context.report(error) }
    }

    // MARK: Short cuts

    func text(at index: Int) -> String? {
        shortCut(at: index) { (tag, bytes, range) in
            tag == ValueTag.plainText || tag == ValueTag.text ? bytes.text(in: range) : nil
        }
    }

    func integer(at index: Int) -> Int64? {
        shortCut(at: index) { (tag, bytes, range) in
            tag == ValueTag.int && range.count == 8
                ? Int64(bitPattern: bytes.word64(at: range.lowerBound)) : nil
        }
    }

    func double(at index: Int) -> Double? {
        shortCut(at: index) { (tag, bytes, range) in
            tag == ValueTag.double && range.count == 8
                ? Double(bitPattern: bytes.word64(at: range.lowerBound)) : nil
        }
    }

    func bool(at index: Int) -> Bool? {
        shortCut(at: index) { (tag, _, _) in
            tag == ValueTag.yes ? true : tag == ValueTag.no ? false : nil
        }
    }

    func date(at index: Int) -> Date? {
        shortCut(at: index) { (tag, bytes, range) in
            tag == ValueTag.date && range.count == 8
                ? Date(
                    timeIntervalSinceReferenceDate: Double(
                        bitPattern: bytes.word64(at: range.lowerBound))) : nil
        }
    }

    func setText(_ value: String, at index: Int) -> Bool {
        guard value.utf8.count < type.context.smallText else { return false }
        if isInitial, case .string(let known)? = type.recordedDefault(at: index),
            known.utf8.elementsEqual(value.utf8)
        {
            return true
        }
        return change(ValueTag.plainText, at: index, value.utf8.count) { attribute in
            changes.set(value, of: attribute, expecting: expectedChanges)
        }
    }

    func setInteger(_ value: Int64, at index: Int) -> Bool {
        if isInitial, type.recordedDefault(at: index) == .int(value) { return true }
        return setWord(UInt64(bitPattern: value), ValueTag.int, at: index)
    }

    func setDouble(_ value: Double, at index: Int) -> Bool {
        if isInitial, case .double(let known)? = type.recordedDefault(at: index),
            known.bitPattern == value.bitPattern
        {
            return true
        }
        return setWord(value.bitPattern, ValueTag.double, at: index)
    }

    func setBool(_ value: Bool, at index: Int) -> Bool {
        if isInitial, type.recordedDefault(at: index) == .bool(value) { return true }
        return change(ValueTag.yes, at: index, 0) { attribute in
            changes.set(value, of: attribute, expecting: expectedChanges)
        }
    }

    func setDate(_ value: Date, at index: Int) -> Bool {
        setWord(value.timeIntervalSinceReferenceDate.bitPattern, ValueTag.date, at: index)
    }

    private func setWord(_ word: UInt64, _ tag: UInt8, at index: Int) -> Bool {
        change(tag, at: index, 8) { attribute in
            changes.set(word, tag: tag, of: attribute, expecting: expectedChanges)
        }
    }

    private var expectedChanges: Int { record.isEmpty ? type.attributeCount : 1 }

    /// Calls `body` with the stored bytes of an attribute that holds a value of a declared kind.
    @inline(__always)
    private func shortCut<Value>(
        at index: Int, _ body: (UInt8, Span<UInt8>, Range<Int>) -> Value?
    ) -> Value? {
        guard mayBeRead, let attribute = type.id(at: index) else { return nil }
        if !changes.isEmpty, let entry = changes.entry(attribute) {
            guard type.allows(tag: entry.tag, atPlace: index) else { return nil }
            let payload = changes.payload
            return body(entry.tag, payload.span, entry.range)
        }
        let record = record
        guard let field = RecordFormat.field(attribute, in: record.span),
            type.allows(tag: field.tag, atPlace: index)
        else { return nil }
        return body(field.tag, record.span, field.range)
    }

    /// Calls `set` with the attribute at an index, and tells whether it did: only if a value with that tag and of so
    /// many bytes may be set just so.
    @inline(__always)
    private func change(
        _ tag: UInt8, at index: Int, _ bytes: Int, _ set: (UInt16) -> Void
    ) -> Bool {
        guard let block = block.writeBlock, block.thread.isCurrent, !isDeleted, type.isComplete,
            type.allows(tag: tag, atPlace: index), let attribute = type.id(at: index),
            block.hasRoom(for: countedBytes == 0 ? bytes + bytesToWrite : bytes)
        else { return false }
        set(attribute)
        block.didChange(self)
        return true
    }

    // MARK: Inside

    /// The value of an attribute by its id, declared at a place of the type.
    @inline(__always)
    private func value(
        of attribute: UInt16, atPlace place: Int
    ) throws(DataStoreError) -> DataStoreValue {
        if !changes.isEmpty, let entry = changes.entry(attribute) {
            let payload = changes.payload
            guard
                let value = ValueDecoding.value(
                    tag: entry.tag, in: payload.span, entry.range, type.known)
            else { throw type.corrupted(id) }
            if entry.tag != ValueTag.null, type.allows(tag: entry.tag, atPlace: place) {
                return value
            }
            return try declared(value, atPlace: place)
        }
        let record = record
        let bytes = record.span
        guard let field = RecordFormat.field(attribute, in: bytes) else {
            return type.attribute(atPlace: place)?.value(stored: nil) ?? .null
        }
        guard let value = ValueDecoding.value(tag: field.tag, in: bytes, field.range, type.known)
        else {
            throw type.corrupted(id, attribute: type.stored?.attributes[Int(attribute)].name)
        }
        if field.tag != ValueTag.null, type.allows(tag: field.tag, atPlace: place) { return value }
        return try declared(value, atPlace: place)
    }

    /// What null, or a value of another than the declared kinds, reads as.
    ///
    /// An item without a class gives what cannot be converted as it is, so that nothing is out of reach.
    private func declared(
        _ stored: DataStoreValue, atPlace place: Int
    ) throws(DataStoreError) -> DataStoreValue {
        guard let attribute = type.attribute(atPlace: place) else { return stored }
        let value = attribute.value(stored: stored)
        if value.isNull || attribute.kinds.isEmpty || attribute.kinds.contains(value.kind)
            || type.itemType.schema == nil
        {
            return value
        }
        throw type.unreadable(stored.kind, atPlace: place)
    }

    @inline(__always)
    private func setValue(
        _ value: DataStoreValue, atPlace place: Int, name: String?
    ) throws(DataStoreError) {
        guard let block = block.writeBlock, block.thread.isCurrent, !isDeleted else {
            throw refusal(name ?? declaredName(at: place))
        }
        var value = value
        if !type.allows(tag: ValueTag.tag(of: value.kind), atPlace: place),
            let attribute = type.attribute(atPlace: place)
        {
            value = try attribute.check(value, ofType: itemTypeKey)
        }
        let size = try size(of: value, attribute: { name ?? self.name(at: place) })
        try block.complete(type)
        guard let attribute = type.id(atPlace: place) else {
            throw .unknownAttribute(
                name ?? self.name(at: place), ofType: itemTypeKey, in: "setValue")
        }
        // The first change of an item counts all of it.
        if !block.hasRoom(for: countedBytes == 0 ? size + bytesToWrite : size) {
            try checkRoom(for: value, of: attribute, name ?? self.name(at: place), block)
        }
        try block.addTypes(referredToBy: value)
        changes.set(value, of: attribute, type.known, expecting: expectedChanges)
        block.didChange(self)
    }

    /// Throws on another thread than the block's while that runs.
    @inline(__always)
    private func checkReading() throws(DataStoreError) {
        if !mayBeRead { throw BlockThread.refusal(in: "value", itemType: itemTypeKey) }
    }

    /// Whether the calling thread may read the item: one of a read block is a copy.
    @inline(__always)
    private var mayBeRead: Bool { block.writeBlock == nil || block.thread.permitsReading }

    private func refusal(_ attribute: String) -> DataStoreError {
        if !mayBeRead {
            return block.thread.refusedChange(itemType: itemTypeKey, attribute: attribute)
        }
        if isDeleted, block.thread.isCurrent {
            return .itemDeleted(id, ofType: itemTypeKey, attribute: attribute)
        }
        return .itemNotMutable(itemTypeKey, attribute: attribute)
    }

    /// The name that the class gives to an attribute; what the store knows of it changes under another thread.
    private func declaredName(at index: Int) -> String {
        guard let attributes = type.itemType.schema?.attributes,
            attributes.indices.contains(index)
        else { return "#\(index)" }
        return attributes[index].name
    }

    private func name(at index: Int) -> String {
        type.attribute(atPlace: index)?.name ?? "#\(index)"
    }

    /// Whether a value is far from every limit, as most are.
    @inline(__always)
    private static func isSmall(_ value: DataStoreValue, below limit: Int) -> Bool {
        switch value {
        case .string(let text): text.utf8.count < limit
        case .data, .array, .dictionary, .url, .reference: false
        default: true
        }
    }

    /// An upper bound of the bytes that a value takes: exact for large values; small ones are not measured.
    @inline(__always)
    private func size(
        of value: DataStoreValue, attribute: () -> String
    ) throws(DataStoreError) -> Int {
        if Self.isSmall(value, below: type.context.smallText) { return 1 << 13 }
        return try type.context.limits.check(value, for: attribute(), of: itemTypeKey)
    }

    /// Throws if the block's changes were more than its limit with a value in place of the one there is.
    private func checkRoom(
        for value: DataStoreValue, of attribute: UInt16, _ name: String, _ block: WriteBlock
    ) throws(DataStoreError) {
        let limits = type.context.limits
        var growth = try limits.check(value, for: name, of: itemTypeKey)
        growth -= changes.entry(attribute)?.length ?? 0
        growth += bytesToWrite - countedBytes
        // What does not take more room is always taken.
        if growth <= 0 || block.hasRoom(for: growth) { return }
        throw .blockTooLarge(limit: limits.writeBlockBytes, itemType: itemTypeKey, attribute: name)
    }
}
