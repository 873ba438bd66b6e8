import Foundation
import JustPersist

/// An item's values: its record, in which each value is decoded when it is asked for.
final class RecordBacking: ItemBacking {
    let id: ItemID
    /// The record as it was read, its checksum verified, with what was set since.
    // Unchecked, here and below: changing them calls no code that could come back to them, and the checks at run time cost
    // more than setting a number.
    @safe @exclusivity(unchecked) private(set) var record: EditableRecord
    /// Whether the item was made or taken in, and not read from the store.
    private let isNew: Bool
    /// Whether the block must still write the item.
    @safe @exclusivity(unchecked) var isDirty = false
    @safe @exclusivity(unchecked) var isDeleted = false
    /// Whether values are set that the class is declared with: the recorded defaults among them need not be stored.
    @safe @exclusivity(unchecked) private var isInitial = false
    /// The bytes that the block counts for the item: none until it is changed.
    @safe @exclusivity(unchecked) var countedBytes = 0

    // Constants, because the compiler can use those without retaining them.
    private let firstType: BlockType
    /// The block that the item was got in.
    private let firstBlock: Block
    private let isOfWriteBlock: Bool
    /// Where the item went when it was taken in again.
    private var moved: (type: BlockType, block: WriteBlock)?
    /// Whether it went: to look at ``moved`` itself would retain what is in it.
    @safe @exclusivity(unchecked) private var isMoved = false

    init(_ type: BlockType, id: ItemID, record: [UInt8], block: Block) {
        firstType = type
        self.id = id
        self.record = EditableRecord(record)
        isNew = record.isEmpty
        firstBlock = block
        isOfWriteBlock = block.writeBlock != nil
    }

    var type: BlockType {
        if isMoved, let moved { return moved.type }
        return firstType
    }
    /// The block that the item belongs to; it is live in a write block.
    var block: Block {
        if isMoved, let moved { return moved.block }
        return firstBlock
    }

    var itemTypeKey: String { type.itemType.key }
    /// For a type without a class none on another thread than the block's: the store may learn of others meanwhile.
    var attributeNames: [String] {
        if type.itemType.schema == nil, !mayBeRead { return [] }
        return type.attributeNames
    }

    /// The bytes that writing the item takes, more or less.
    var bytesToWrite: Int {
        record.length + RecordKey.length
    }

    /// Whether the item was made in a write block that was rolled back, so that it is in no store.
    var isOfRolledBackBlock: Bool {
        guard let block = block.writeBlock, block.thread.hasEnded else { return false }
        return !block.isCommitted && isNew && !isDeleted
    }

    /// Makes the item a new one of another block, with the values of a new one there.
    func move(to other: RecordBacking, of block: WriteBlock) {
        moved = (other.type, block)
        isMoved = true
        record = other.record
        isDirty = false
        countedBytes = 0
    }

    /// Makes the record ready to be written.
    func close(seed: UInt64) { record.close(seed: seed) }

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
        let length = value.utf8.count
        guard length < firstType.smallText else { return false }
        if isInitial, case .string(let known)? = firstType.recordedDefault(at: index),
            known.utf8.elementsEqual(value.utf8)
        {
            return true
        }
        return change(ValueTag.plainText, at: index, length) { attribute in
            record.set(value, of: attribute)
        }
    }

    func setInteger(_ value: Int64, at index: Int) -> Bool {
        if isInitial, firstType.recordedDefault(at: index) == .int(value) { return true }
        return setWord(UInt64(bitPattern: value), ValueTag.int, at: index)
    }

    func setDouble(_ value: Double, at index: Int) -> Bool {
        if isInitial, case .double(let known)? = firstType.recordedDefault(at: index),
            known.bitPattern == value.bitPattern
        {
            return true
        }
        return setWord(value.bitPattern, ValueTag.double, at: index)
    }

    func setBool(_ value: Bool, at index: Int) -> Bool {
        if isInitial, firstType.recordedDefault(at: index) == .bool(value) { return true }
        return change(ValueTag.yes, at: index, 0) { attribute in
            record.set(value, of: attribute)
        }
    }

    func setDate(_ value: Date, at index: Int) -> Bool {
        setWord(value.timeIntervalSinceReferenceDate.bitPattern, ValueTag.date, at: index)
    }

    private func setWord(_ word: UInt64, _ tag: UInt8, at index: Int) -> Bool {
        change(tag, at: index, 8) { attribute in
            record.set(word, tag: tag, of: attribute)
        }
    }

    /// Calls `body` with the stored bytes of an attribute that holds a value of a declared kind.
    @inline(__always)
    private func shortCut<Value>(
        at index: Int, _ body: (UInt8, Span<UInt8>, Range<Int>) -> Value?
    ) -> Value? {
        guard !isMoved, mayBeRead, let attribute = firstType.id(at: index),
            let field = record.field(attribute),
            firstType.allows(tag: field.tag, atPlace: index)
        else { return nil }
        let bytes = record.bytes
        return body(field.tag, bytes.span, field.range)
    }

    /// Calls `set` with the attribute at an index, and tells whether it did: only if a value with that tag and of so
    /// many bytes may be set just so.
    @inline(__always)
    private func change(
        _ tag: UInt8, at index: Int, _ bytes: Int, _ set: (UInt16) -> Void
    ) -> Bool {
        guard !isMoved, isOfWriteBlock else { return false }
        // SAFETY: WriteBlock is the only class that overrides `writeBlock`, and it is final.
        let block = unsafe unsafeDowncast(firstBlock, to: WriteBlock.self)
        guard block.thread.isCurrent, !isDeleted,
            let attribute = firstType.attribute(at: index, taking: tag),
            block.hasRoom(for: countedBytes == 0 ? bytes + bytesToWrite : bytes)
        else { return false }
        if record.isEmpty { record.start(from: firstType.template) }
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
        let record = record
        guard let field = record.field(attribute) else {
            return type.attribute(atPlace: place)?.value(stored: nil) ?? .null
        }
        guard
            let value = ValueDecoding.value(
                tag: field.tag, in: record.bytes.span, field.range, type.known)
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
        if record.isEmpty { record.start(from: type.template) }
        record.set(value, of: attribute, type.known)
        block.didChange(self)
    }

    /// Throws on another thread than the block's while that runs.
    @inline(__always)
    private func checkReading() throws(DataStoreError) {
        if !mayBeRead { throw BlockThread.refusal(in: "value", itemType: itemTypeKey) }
    }

    /// Whether the calling thread may read the item: one of a read block is a copy.
    @inline(__always)
    private var mayBeRead: Bool {
        !isOfWriteBlock || (isMoved ? block : firstBlock).thread.permitsReading
    }

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
        if Self.isSmall(value, below: type.smallText) { return 1 << 13 }
        return try type.context.limits.check(value, for: attribute(), of: itemTypeKey)
    }

    /// Throws if the block's changes were more than its limit with a value in place of the one there is.
    private func checkRoom(
        for value: DataStoreValue, of attribute: UInt16, _ name: String, _ block: WriteBlock
    ) throws(DataStoreError) {
        let limits = type.context.limits
        var growth = try limits.check(value, for: name, of: itemTypeKey)
        growth -= record.field(attribute)?.range.count ?? 0
        growth += bytesToWrite - countedBytes
        // What does not take more room is always taken.
        if growth <= 0 || block.hasRoom(for: growth) { return }
        throw .blockTooLarge(limit: limits.writeBlockBytes, itemType: itemTypeKey, attribute: name)
    }
}
