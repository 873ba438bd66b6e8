import Foundation

/// A stand-in for an item that gets new values: forwards only the values that differ from the item's.
///
/// It reports nothing: the caller that sets the values throws the error.
final class DifferenceBacking: ItemBacking {
    private let target: any ItemBacking
    /// Whether the item has values; those of a new one are set without a comparison.
    private let comparesValues: Bool
    /// The indexes of the changed attributes in the class's schema.
    private(set) var changedIndices: Set<Int> = []

    init(from target: any ItemBacking, comparesValues: Bool = true) {
        self.target = target
        self.comparesValues = comparesValues
    }

    var itemTypeKey: String { target.itemTypeKey }
    var id: ItemID { target.id }
    var attributeNames: [String] { target.attributeNames }
    var storeBacking: any ItemBacking { target.storeBacking }

    func report(_ error: DataStoreError) {}

    func value(at index: Int) throws(DataStoreError) -> DataStoreValue {
        try target.value(at: index)
    }

    func setValue(_ value: DataStoreValue, at index: Int) throws(DataStoreError) {
        if comparesValues, try target.value(at: index) == value { return }
        try target.setValue(value, at: index)
        if comparesValues { changedIndices.insert(index) }
    }

    func value(forAttribute name: String) throws(DataStoreError) -> DataStoreValue {
        try target.value(forAttribute: name)
    }

    func setValue(
        _ value: DataStoreValue, forAttribute name: String
    ) throws(DataStoreError) {
        if try target.value(forAttribute: name) == value { return }
        try target.setValue(value, forAttribute: name)
        if let index = target.attributeNames.firstIndex(of: name) { changedIndices.insert(index) }
    }

    func value(
        forAttribute name: String, of reference: ItemReference
    ) throws(DataStoreError) -> DataStoreValue {
        try target.value(forAttribute: name, of: reference)
    }

    func withReader(
        _ body: (borrowing DataStoreReader) throws(DataStoreError) -> Void
    ) throws(DataStoreError) { try target.withReader(body) }

    func withWriter(
        _ body: (borrowing DataStoreWriter) throws(DataStoreError) -> Void
    ) throws(DataStoreError) { try target.withWriter(body) }

    // MARK: Fast paths

    func text(at index: Int) -> String? { target.text(at: index) }

    func integer(at index: Int) -> Int64? { target.integer(at: index) }

    func double(at index: Int) -> Double? { target.double(at: index) }

    func bool(at index: Int) -> Bool? { target.bool(at: index) }

    func date(at index: Int) -> Date? { target.date(at: index) }

    func setText(_ value: String, at index: Int) -> Bool {
        // Equal texts may have different bytes.
        change(at: index) {
            target.text(at: index)?.utf8.elementsEqual(value.utf8)
        } _: {
            target.setText(value, at: index)
        }
    }

    func setInteger(_ value: Int64, at index: Int) -> Bool {
        change(at: index) {
            target.integer(at: index).map { $0 == value }
        } _: {
            target.setInteger(value, at: index)
        }
    }

    func setDouble(_ value: Double, at index: Int) -> Bool {
        change(at: index) {
            target.double(at: index).map { $0.bitPattern == value.bitPattern }
        } _: {
            target.setDouble(value, at: index)
        }
    }

    func setBool(_ value: Bool, at index: Int) -> Bool {
        change(at: index) {
            target.bool(at: index).map { $0 == value }
        } _: {
            target.setBool(value, at: index)
        }
    }

    func setDate(_ value: Date, at index: Int) -> Bool {
        change(at: index) {
            target.date(at: index).map {
                $0.timeIntervalSinceReferenceDate.bitPattern
                    == value.timeIntervalSinceReferenceDate.bitPattern
            }
        } _: {
            target.setDate(value, at: index)
        }
    }

    /// Sets the value unless the item has it already; leaves it to ``setValue(_:at:)`` if that is not known.
    private func change(
        at index: Int, _ isSame: () -> Bool?, _ set: () -> Bool
    ) -> Bool {
        if !comparesValues { return set() }
        guard let isSame = isSame() else { return false }
        if isSame { return true }
        guard set() else { return false }
        changedIndices.insert(index)
        return true
    }
}
