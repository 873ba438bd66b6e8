import Foundation
import JustPersist
import JustPersistImportExport

/// A class with an attribute of each kind in MagicalRecord's sample entity.
final class Sample: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Sample",
        attributes: [
            AttributeSchema("text", kinds: [.string]), AttributeSchema("number", kinds: [.int]),
            AttributeSchema("decimal", kinds: [.decimal]),
            AttributeSchema("double", kinds: [.double]), AttributeSchema("flag", kinds: [.bool]),
            AttributeSchema("date", kinds: [.date]), AttributeSchema("other", kinds: [.date]),
            AttributeSchema("link", kinds: [.url]), AttributeSchema("colour", kinds: [.array]),
            AttributeSchema("state", kinds: [.string], default: .string("new")),
        ])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }
    func setInitialValues() { self["state"] = "new" }
}

/// An item with a key, to which other items refer.
final class Related: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Related",
        attributes: [
            AttributeSchema("key", kinds: [.int], isUnique: true),
            AttributeSchema("note", kinds: [.string]), AttributeSchema("inner", kinds: [.string]),
        ])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }
}

/// An item that refers to other items.
final class Owner: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Owner",
        attributes: [
            AttributeSchema("id", kinds: [.int], isUnique: true),
            AttributeSchema("one", kinds: [.reference]),
            AttributeSchema("many", kinds: [.array]),
        ])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }
}

extension DataStoreItem {
    subscript(attribute: String) -> Any? {
        get { try? value(attribute).any }
        set { try? backing.setValue(DataStoreValue(newValue), forAttribute: attribute) }
    }

    func value(_ attribute: String) throws -> DataStoreValue {
        try backing.value(forAttribute: attribute)
    }
}

/// The value of a JSON text.
func json(_ text: String) throws -> DataStoreValue {
    guard let value = DataStoreValue(jsonText: text) else {
        throw DataStoreError(.invalidInput, in: "test", "This is not JSON: \(text)")
    }
    return value
}
