/// An order of the items of a class, by one attribute or several.
///
/// ```swift
/// try db.items(Restaurant.self, sortedBy: .descending(\.stars), .ascending(\.name))
/// let order: ItemSort<Restaurant> = [.descending(\.stars), .ascending("address.city")]
/// try db.items(Restaurant.self, sortedBy: order)
/// ```
///
/// nil sorts first ascending and last descending; items that are equal in all criteria stay in the order of their
/// creation.
public struct ItemSort<Item: DataStoreItem>: Sendable, ExpressibleByArrayLiteral {
    private let result: Result<[DataStoreSortDescriptor], DataStoreError>

    /// The criteria, the first one deciding first.
    ///
    /// - Throws: `.unknownAttribute` for a key path that is no attribute of the class.
    public func descriptors() throws(DataStoreError) -> [DataStoreSortDescriptor] {
        try result.get()
    }

    /// An order by these criteria, the first one deciding first.
    public init(_ descriptors: [DataStoreSortDescriptor]) { result = .success(descriptors) }

    /// An order by one after the other of these.
    public init(_ parts: [ItemSort]) {
        result = Result { () throws(DataStoreError) in
            var descriptors: [DataStoreSortDescriptor] = []
            for part in parts { descriptors += try part.descriptors() }
            return descriptors
        }
    }

    /// An order by one after the other of these.
    public init(arrayLiteral parts: ItemSort...) { self.init(parts) }

    private init(_ keyPath: AnyKeyPath, ascending: Bool) {
        result = Result { () throws(DataStoreError) in
            let key = try Item.path(for: keyPath).components.joined(separator: ".")
            return [DataStoreSortDescriptor(key: key, ascending: ascending)]
        }
    }

    /// Small values first.
    public static func ascending<Value>(_ keyPath: KeyPath<Item, Value>) -> ItemSort {
        ItemSort(keyPath, ascending: true)
    }

    /// Large values first.
    public static func descending<Value>(_ keyPath: KeyPath<Item, Value>) -> ItemSort {
        ItemSort(keyPath, ascending: false)
    }

    /// Small values first, by an attribute's name, with dots into dictionaries and along references.
    public static func ascending(_ key: String) -> ItemSort {
        ItemSort([DataStoreSortDescriptor(key: key, ascending: true)])
    }

    /// Large values first, by an attribute's name, with dots into dictionaries and along references.
    public static func descending(_ key: String) -> ItemSort {
        ItemSort([DataStoreSortDescriptor(key: key, ascending: false)])
    }
}
