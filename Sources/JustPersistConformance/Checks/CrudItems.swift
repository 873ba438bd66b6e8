import JustPersist

/// An item class of the kit, for the calls that take classes.
final class ConformanceUser: MutableDataStoreItem {
    static let schema = ItemSchema(
        "User",
        attributes: [
            AttributeSchema("name", kinds: [.string], keyPath: \ConformanceUser.name),
            AttributeSchema("age", kinds: [.int], keyPath: \ConformanceUser.age),
        ])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }

    var name: String? {
        get { optionalAttribute(at: 0) }
        set { setOptionalAttribute(newValue, at: 0) }
    }
    var age: Int? {
        get { optionalAttribute(at: 1) }
        set { setOptionalAttribute(newValue, at: 1) }
    }
}

/// A class whose key begins with another's.
final class ConformanceUserProfile: MutableDataStoreItem {
    static let schema = ItemSchema(
        "UserProfile",
        attributes: [
            AttributeSchema("name", kinds: [.string], keyPath: \ConformanceUserProfile.name)
        ])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }

    var name: String? {
        get { optionalAttribute(at: 0) }
        set { setOptionalAttribute(newValue, at: 0) }
    }
}
