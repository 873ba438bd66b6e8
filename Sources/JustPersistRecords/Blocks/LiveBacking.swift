import Foundation
import JustPersist

/// The values of an item of a write block: its record, whose values are decoded when they are read and encoded when
/// they are set.
final class LiveBacking: RecordBacking {
    let id: ItemID
    /// The record as it was read, with verified checksum, and with the changes made since.
    // Unchecked, here and below: code that runs during a change does not access them, and the checks at run time cost
    // more than setting a number.
    @safe @exclusivity(unchecked) private(set) var record: EditableRecord
    /// Whether the item was created or inserted in the block, and not read from the store.
    private let isNew: Bool
    /// Whether the store has a record of the item.
    @safe @exclusivity(unchecked) var isStored: Bool
    /// Whether the block must still write the item.
    @safe @exclusivity(unchecked) var isDirty = false
    @safe @exclusivity(unchecked) var isDeleted = false
    /// Whether a program has the item as an object that was made for a rule of a relationship.
    @safe @exclusivity(unchecked) var isClaimed = false
    /// The attributes that were set since the item was last written.
    @safe @exclusivity(unchecked) var changes = AttributeSet()
    /// The bytes that the block counts for the item: none until it is changed.
    @safe @exclusivity(unchecked) var countedBytes = 0

    // Constants, because the compiler can use those without retaining them.
    private let firstType: BlockType
    /// The block from which the item was obtained.
    private let firstBlock: WriteBlock
    /// The item's new type and block, if it was inserted again.
    private var moved: (type: BlockType, block: WriteBlock)?
    /// Whether ``moved`` is set; reading that would retain its contents.
    @safe @exclusivity(unchecked) private var isMoved = false

    init(_ type: BlockType, id: ItemID, record: [UInt8], block: WriteBlock) {
        firstType = type
        self.id = id
        self.record = EditableRecord(record)
        isNew = record.isEmpty
        isStored = !isNew
        firstBlock = block
    }

    var type: BlockType {
        if isMoved, let moved { return moved.type }
        return firstType
    }
    /// The block that the item belongs to.
    var block: WriteBlock {
        if isMoved, let moved { return moved.block }
        return firstBlock
    }

    var itemTypeKey: String { type.itemType.key }
    /// For a type without a class, this is empty on threads other than the block's, because the store may add
    /// attributes meanwhile.
    var attributeNames: [String] {
        if type.itemType.schema == nil, !mayBeRead { return [] }
        return type.attributeNames
    }

    /// The approximate size of writing the item, in bytes.
    var bytesToWrite: Int {
        record.length + RecordKey.length
    }

    /// Whether the item was created in a write block that was rolled back, so that it belongs to no store.
    var isOfRolledBackBlock: Bool {
        block.thread.hasEnded && !block.isCommitted && isNew && !isDeleted
    }

    /// Makes the item a new item of another block, with the values of `other`.
    func move(to other: LiveBacking, of block: WriteBlock) {
        moved = (other.type, block)
        isMoved = true
        record = other.record
        isStored = false
        changes = AttributeSet()
        isDirty = false
        countedBytes = 0
    }

    /// Prepares the record for writing.
    func close(seed: UInt64) { record.close(seed: seed) }

    func value(at index: Int) throws(DataStoreError) -> DataStoreValue {
        try checkReading()
        return try value(of: type.id(at: index), atPlace: index)
    }

    func value(forAttribute name: String) throws(DataStoreError) -> DataStoreValue {
        try checkReading()
        let place = try type.place(ofAttribute: name, in: "value")
        return try value(of: type.id(atPlace: place), atPlace: place)
    }

    func storedValue(forAttribute name: String) throws(DataStoreError) -> DataStoreValue {
        try checkReading()
        let place = try type.place(ofAttribute: name, in: "value")
        let record = record
        guard let attribute = type.id(atPlace: place), let field = record.field(attribute),
            field.tag != ValueTag.null
        else { return .null }
        return try type.value(of: field, in: record.bytes.span, atPlace: place, of: id)
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
        guard (isMoved ? block : firstBlock).thread.isCurrent, !isDeleted else {
            throw refusal(name)
        }
        let place = try (isMoved ? type : firstType).place(ofAttribute: name, in: "setValue")
        try setValue(value, atPlace: place, name: name)
    }

    func report(_ error: DataStoreError) {
        block.report(error)
    }

    func withReader(
        _ body: (borrowing DataStoreReader) throws(DataStoreError) -> Void
    ) throws(DataStoreError) {
        if block.thread.hasEnded { throw .relationshipNotLoaded(itemTypeKey) }
        try body(RecordWriteAccessor(block))
    }

    func withWriter(
        _ body: (borrowing DataStoreWriter) throws(DataStoreError) -> Void
    ) throws(DataStoreError) {
        guard block.thread.isCurrent, !isDeleted else { throw refusal("") }
        try body(RecordWriteAccessor(block))
    }

    // MARK: Short cuts

    func text(at index: Int) -> String? { field(at: index) { $0.text(in: $1) } }

    func integer(at index: Int) -> Int64? { field(at: index) { $0.integer(in: $1) } }

    func double(at index: Int) -> Double? { field(at: index) { $0.double(in: $1) } }

    func bool(at index: Int) -> Bool? { field(at: index) { $0.bool(in: $1) } }

    func date(at index: Int) -> Date? { field(at: index) { $0.date(in: $1) } }

    func setText(_ value: String, at index: Int) -> Bool {
        let length = value.utf8.count
        guard length < firstType.smallText else { return false }
        return change(ValueTag.plainText, at: index, length) { attribute in
            let isDefault = setsDefault(attribute) { known in
                if case .string(let known) = known {
                    known.utf8.elementsEqual(value.utf8)
                } else {
                    false
                }
            }
            if !isDefault { record.set(value, of: attribute) }
        }
    }

    func setInteger(_ value: Int64, at index: Int) -> Bool {
        change(ValueTag.int, at: index, 8) { attribute in
            if setsDefault(attribute, { $0 == .int(value) }) { return }
            record.set(UInt64(bitPattern: value), tag: ValueTag.int, of: attribute)
        }
    }

    func setDouble(_ value: Double, at index: Int) -> Bool {
        change(ValueTag.double, at: index, 8) { attribute in
            let isDefault = setsDefault(attribute) { known in
                if case .double(let known) = known {
                    known.bitPattern == value.bitPattern
                } else {
                    false
                }
            }
            if isDefault { return }
            record.set(value.bitPattern, tag: ValueTag.double, of: attribute)
        }
    }

    func setBool(_ value: Bool, at index: Int) -> Bool {
        change(ValueTag.yes, at: index, 0) { attribute in
            if !setsDefault(attribute, { $0 == .bool(value) }) { record.set(value, of: attribute) }
        }
    }

    func setDate(_ value: Date, at index: Int) -> Bool {
        change(ValueTag.date, at: index, 8) { attribute in
            record.set(
                value.timeIntervalSinceReferenceDate.bitPattern, tag: ValueTag.date, of: attribute)
        }
    }

    /// Defers a new item's value if it is the recorded default; returns whether it did.
    @inline(__always)
    private func setsDefault(
        _ attribute: UInt16, _ isValue: (DataStoreValue) -> Bool
    ) -> Bool {
        guard record.canDefer(attribute) else { return false }
        let defaults = firstType.recordedDefaults
        guard let known = defaults[attribute], isValue(known) else { return false }
        record.setDefault(attribute, defaults)
        return true
    }

    /// Calls `body` with the field of an attribute, if its value has a declared kind.
    @inline(__always)
    private func field<Value>(
        at index: Int, _ body: (RecordFormat.Field, Span<UInt8>) -> Value?
    ) -> Value? {
        guard !isMoved, mayBeRead else { return nil }
        let bytes = record.bytes
        guard let field = firstType.field(at: index, in: bytes.span) else { return nil }
        return body(field, bytes.span)
    }

    /// Calls `set` with the attribute at an index if a value with that tag and of that size needs no further checks.
    ///
    /// Returns whether it did.
    @inline(__always)
    private func change(
        _ tag: UInt8, at index: Int, _ bytes: Int, _ set: (UInt16) -> Void
    ) -> Bool {
        let block = firstBlock
        guard !isMoved, block.thread.isCurrent, !isDeleted,
            let attribute = firstType.attribute(at: index, taking: tag),
            block.hasRoom(for: countedBytes == 0 ? bytes + bytesToWrite : bytes)
        else { return false }
        if record.isEmpty { record.start(from: firstType.template) }
        changes.insert(attribute)
        set(attribute)
        block.didChange(self)
        return true
    }

    // MARK: Implementation

    /// The value of an attribute by its id, declared at a place of the type.
    @inline(__always)
    private func value(
        of attribute: UInt16?, atPlace place: Int
    ) throws(DataStoreError) -> DataStoreValue {
        let record = record
        guard let attribute, let field = record.field(attribute)
        else { return type.absentValue(atPlace: place) }
        return try type.value(of: field, in: record.bytes.span, atPlace: place, of: id)
    }

    @inline(__always)
    private func setValue(
        _ value: DataStoreValue, atPlace place: Int, name: String?
    ) throws(DataStoreError) {
        if isMoved {
            try set(value, atPlace: place, name, type, block)
        } else {
            try set(value, atPlace: place, name, firstType, firstBlock)
        }
    }

    private func set(
        _ value: DataStoreValue, atPlace place: Int, _ name: String?, _ type: BlockType,
        _ block: WriteBlock
    ) throws(DataStoreError) {
        guard block.thread.isCurrent, !isDeleted else {
            throw refusal(name ?? type.declaredName(at: place))
        }
        var value = value
        if !type.allows(tag: ValueTag.tag(of: value.kind), atPlace: place),
            let attribute = type.attribute(atPlace: place)
        {
            try type.checkKnownKinds(atPlace: place)
            value = try attribute.check(value, ofType: itemTypeKey)
        }
        // An upper bound; small values are not measured.
        let size =
            Self.isSmall(value, below: type.smallText)
            ? 1 << 13
            : try type.context.limits.check(
                value, for: name ?? self.name(at: place), of: itemTypeKey)
        try block.complete(type)
        guard let attribute = type.id(atPlace: place) else {
            throw .unknownAttribute(
                name ?? self.name(at: place), ofType: itemTypeKey, in: "setValue")
        }
        // The first change of an item counts its whole record.
        if !block.hasRoom(for: countedBytes == 0 ? size + bytesToWrite : size) {
            try checkRoom(for: value, of: attribute, name ?? self.name(at: place), block)
        }
        try block.addTypes(referredToBy: value)
        if record.isEmpty { record.start(from: type.template) }
        changes.insert(attribute)
        record.set(value, of: attribute, type.known)
        block.didChange(self)
    }

    /// Throws if the block is running and this is not its thread.
    @inline(__always)
    private func checkReading() throws(DataStoreError) {
        if !mayBeRead { throw BlockThread.refusal(in: "value", itemType: itemTypeKey) }
    }

    /// Whether the calling thread may read the item.
    @inline(__always)
    private var mayBeRead: Bool { (isMoved ? block : firstBlock).thread.permitsReading }

    private func refusal(_ attribute: String) -> DataStoreError {
        if !mayBeRead {
            return block.thread.refusedChange(itemType: itemTypeKey, attribute: attribute)
        }
        if isDeleted, block.thread.isCurrent {
            return .itemDeleted(id, ofType: itemTypeKey, attribute: attribute)
        }
        return .itemNotMutable(itemTypeKey, attribute: attribute)
    }

    private func name(at index: Int) -> String {
        type.attribute(atPlace: index)?.name ?? "#\(index)"
    }

    /// Whether a value is far below every limit, as most are.
    @inline(__always)
    private static func isSmall(_ value: DataStoreValue, below limit: Int) -> Bool {
        switch value {
        case .string(let text): text.utf8.count < limit
        case .data, .array, .dictionary, .url, .reference: false
        default: true
        }
    }

    /// Throws if replacing the present value with the new one makes the block's changes exceed the limit.
    private func checkRoom(
        for value: DataStoreValue, of attribute: UInt16, _ name: String, _ block: WriteBlock
    ) throws(DataStoreError) {
        let limits = type.context.limits
        var growth = try limits.check(value, for: name, of: itemTypeKey)
        growth -= record.field(attribute)?.range.count ?? 0
        growth += bytesToWrite - countedBytes
        // A value that does not take more room is always accepted.
        if growth <= 0 || block.hasRoom(for: growth) { return }
        throw .blockTooLarge(limit: limits.writeBlockBytes, itemType: itemTypeKey, attribute: name)
    }
}
