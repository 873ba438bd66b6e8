import Foundation
import JustPersist

/// The values of an item of a read block: a copy of its record, whose values are decoded when they are read.
///
/// The record is part of the same allocation, because a fetch makes many backings.
final class FrozenBacking: ManagedBuffer<FrozenBackingHeader, UInt8>, RecordBacking {
    /// The backing of an item with a verified record.
    @inline(__always)
    static func make(
        _ type: BlockType, id: ItemID, record: Span<UInt8>, block: Block
    ) -> FrozenBacking {
        let buffer = create(minimumCapacity: record.count) { _ in
            unsafe FrozenBackingHeader(
                id: id, type: Unmanaged.passUnretained(type),
                block: Unmanaged.passRetained(block), count: record.count)
        }
        // SAFETY: `create` makes an instance of the class that it is called on, with room for the record.
        unsafe buffer.withUnsafeMutablePointerToElements { bytes in
            unsafe record.withUnsafeBufferPointer { record in
                guard let start = record.baseAddress else { return }
                unsafe bytes.initialize(from: start, count: record.count)
            }
        }
        return unsafe unsafeDowncast(buffer, to: FrozenBacking.self)
    }

    deinit {
        // SAFETY: it was retained in `make`.
        unsafe withUnsafeMutablePointerToHeader {
            unsafe $0.pointee.block.release()
            unsafe $0.pointee.prefetched?.release()
        }
    }

    // Accessed through a pointer, because each access through `header` is checked for exclusivity.
    var id: ItemID { unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee.id } }
    var type: BlockType {
        unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee.type.takeUnretainedValue() }
    }
    /// The block in which the item was read.
    private var block: Block {
        unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee.block.takeUnretainedValue() }
    }

    var itemTypeKey: String { type.itemType.key }
    var attributeNames: [String] { type.attributeNames }

    func value(at index: Int) throws(DataStoreError) -> DataStoreValue {
        let type = type
        return try value(of: type.id(at: index), atPlace: index, type)
    }

    func value(forAttribute name: String) throws(DataStoreError) -> DataStoreValue {
        let type = type
        let place = try type.place(ofAttribute: name, in: "value")
        return try value(of: type.id(atPlace: place), atPlace: place, type)
    }

    func storedValue(forAttribute name: String) throws(DataStoreError) -> DataStoreValue {
        let type = type
        let place = try type.place(ofAttribute: name, in: "value")
        return try withRecord { (record) throws(DataStoreError) in
            guard let attribute = type.id(atPlace: place),
                let field = RecordFormat.field(attribute, in: record), field.tag != ValueTag.null
            else { return .null }
            return try type.value(of: field, in: record, atPlace: place, of: id)
        }
    }

    // The type is an argument, because each access to the type in the header would retain it.
    private func value(
        of attribute: UInt16?, atPlace place: Int, _ type: BlockType
    ) throws(DataStoreError) -> DataStoreValue {
        try withRecord { (record) throws(DataStoreError) in
            guard let attribute, let field = RecordFormat.field(attribute, in: record)
            else { return type.absentValue(atPlace: place) }
            return try type.value(of: field, in: record, atPlace: place, of: id)
        }
    }

    func forEachValue(
        _ body: (_ name: String, _ value: DataStoreValue) throws(DataStoreError) -> Void
    ) throws(DataStoreError) {
        let type = type
        let names = type.attributeNames
        let places = type.attributePlaces
        for index in names.indices {
            let place = places[index]
            try body(names[index], value(of: type.id(atPlace: place), atPlace: place, type))
        }
    }

    func value(
        forAttribute name: String, of reference: ItemReference
    ) throws(DataStoreError) -> DataStoreValue {
        try block.checkOpen("value")
        return try block.value(forAttribute: name, of: reference)
    }

    @inline(__always)
    private func withRecord<Value, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try unsafe withUnsafeMutablePointers { header, bytes throws(Failure) in
            // SAFETY: `make` has initialized this number of bytes.
            let record = unsafe UnsafeBufferPointer(start: bytes, count: header.pointee.count)
            return try unsafe body(record.span)
        }
    }

    func setValue(_ value: DataStoreValue, at index: Int) throws(DataStoreError) {
        throw .itemNotMutable(itemTypeKey, attribute: type.declaredName(at: index))
    }

    func setValue(_ value: DataStoreValue, forAttribute name: String) throws(DataStoreError) {
        throw .itemNotMutable(itemTypeKey, attribute: name)
    }

    var prefetched: Prefetched? {
        get {
            unsafe withUnsafeMutablePointerToHeader {
                unsafe $0.pointee.prefetched?.takeUnretainedValue()
            }
        }
        set {
            unsafe withUnsafeMutablePointerToHeader { header in
                unsafe header.pointee.prefetched?.release()
                unsafe header.pointee.prefetched = newValue.map {
                    unsafe Unmanaged.passRetained($0)
                }
            }
        }
    }

    func withReader(
        _ body: (borrowing DataStoreReader) throws(DataStoreError) -> Void
    ) throws(DataStoreError) {
        let block = block
        if block.thread.hasEnded { throw .relationshipNotLoaded(itemTypeKey) }
        try body(RecordReadAccessor(block))
    }

    func withWriter(
        _ body: (borrowing DataStoreWriter) throws(DataStoreError) -> Void
    ) throws(DataStoreError) { throw .itemNotMutable(itemTypeKey, attribute: "") }

    func report(_ error: DataStoreError) { type.context.report(error) }

    // MARK: Short cuts

    func text(at index: Int) -> String? { field(at: index) { $0.text(in: $1) } }

    func integer(at index: Int) -> Int64? { field(at: index) { $0.integer(in: $1) } }

    func double(at index: Int) -> Double? { field(at: index) { $0.double(in: $1) } }

    func bool(at index: Int) -> Bool? { field(at: index) { $0.bool(in: $1) } }

    func date(at index: Int) -> Date? { field(at: index) { $0.date(in: $1) } }

    /// Calls `body` with the field of an attribute, if its value has a declared kind.
    @inline(__always)
    private func field<Value>(
        at index: Int, _ body: (RecordFormat.Field, Span<UInt8>) -> Value?
    ) -> Value? {
        withRecord { record in
            unsafe withUnsafeMutablePointerToHeader { header in
                unsafe header.pointee.type._withUnsafeGuaranteedRef { type in
                    guard let field = type.field(at: index, in: record) else { return nil }
                    return body(field, record)
                }
            }
        }
    }
}

/// The header of a ``FrozenBacking``.
@safe struct FrozenBackingHeader {
    fileprivate let id: ItemID
    // Unmanaged: a strong reference in the header would be retained at each read.
    /// Not retained, because the block keeps its types as long as it exists.
    fileprivate let type: Unmanaged<BlockType>
    /// Retained.
    fileprivate let block: Unmanaged<Block>
    /// Retained; `nil` until others are prefetched.
    fileprivate var prefetched: Unmanaged<Prefetched>?
    /// The bytes of the record.
    fileprivate let count: Int
}
