public import Foundation

/// An order of the items of a class, by one attribute or several.
///
/// ```swift
/// try db.items(Restaurant.self, sortedBy: .descending(\.stars), .ascending(\.name))
/// let order: ItemSort<Restaurant> = [.descending(\.stars), .ascending("address.city")]
/// try db.items(Restaurant.self, sortedBy: order, .ascending(\.street, .caseInsensitive))
/// ```
///
/// nil sorts first ascending and last descending; items that are equal in all criteria stay in the order of their
/// creation.
public struct ItemSort<Item: DataStoreItem>: Sendable, ExpressibleByArrayLiteral {
    private let result: Result<[DataStoreSortDescriptor], DataStoreError>

    /// The criteria; the first is the primary one.
    ///
    /// - Throws: `.unknownAttribute` for a key path that does not lead to an attribute of the class.
    public func descriptors() throws(DataStoreError) -> [DataStoreSortDescriptor] {
        try result.get()
    }

    /// An order by these criteria; the first is the primary one.
    public init(_ descriptors: [DataStoreSortDescriptor]) { result = .success(descriptors) }

    /// An order by these orders in turn.
    public init(_ parts: [ItemSort]) {
        result = Result { () throws(DataStoreError) in
            var descriptors: [DataStoreSortDescriptor] = []
            for part in parts { descriptors += try part.descriptors() }
            return descriptors
        }
    }

    /// An order by these orders in turn.
    public init(arrayLiteral parts: ItemSort...) { self.init(parts) }

    private init(_ keyPath: AnyKeyPath, ascending: Bool, _ textOrder: TextOrder) {
        result = Result { () throws(DataStoreError) in
            let key = try Item.path(for: keyPath).dotted
            return [DataStoreSortDescriptor(key: key, ascending: ascending, textOrder: textOrder)]
        }
    }

    /// Small values first.
    public static func ascending<Value>(
        _ keyPath: KeyPath<Item, Value>, _ textOrder: TextOrder = .scalars
    ) -> ItemSort {
        ItemSort(keyPath, ascending: true, textOrder)
    }

    /// Large values first.
    public static func descending<Value>(
        _ keyPath: KeyPath<Item, Value>, _ textOrder: TextOrder = .scalars
    ) -> ItemSort {
        ItemSort(keyPath, ascending: false, textOrder)
    }

    /// Small values first, by an attribute's name, with dots into dictionaries and along references.
    public static func ascending(_ key: String, _ textOrder: TextOrder = .scalars) -> ItemSort {
        ItemSort([DataStoreSortDescriptor.ascending(key, textOrder)])
    }

    /// Large values first, by an attribute's name, with dots into dictionaries and along references.
    public static func descending(_ key: String, _ textOrder: TextOrder = .scalars) -> ItemSort {
        ItemSort([DataStoreSortDescriptor.descending(key, textOrder)])
    }
}

extension ItemSort {
    /// The order of Foundation's descriptors; the first is the primary one.
    ///
    /// Texts are ordered by scalars for the default comparator and `.lexical`, and as Finder sorts them on macOS for
    /// `.localizedStandard`. ``descriptors()`` throws `.unsupported` for any other comparator, which a store cannot
    /// execute.
    public init(_ descriptors: [SortDescriptor<Item>]) {
        result = Result { () throws(DataStoreError) in
            var result: [DataStoreSortDescriptor] = []
            for descriptor in descriptors {
                guard let keyPath = descriptor.keyPath, let textOrder = descriptor.textOrder else {
                    throw DataStoreError(
                        .unsupported, in: "sort",
                        """
                        A SortDescriptor of \(Item.itemTypeKey) compares by a key or a comparator that a store does not \
                        know. Use a key path of the class with the default comparator, or .ascending(\\.name, .caseInsensitive) \
                        and its like.
                        """, itemType: Item.itemTypeKey)
                }
                let key = try Item.path(for: keyPath).dotted
                result.append(
                    DataStoreSortDescriptor(
                        key: key, ascending: descriptor.order == .forward, textOrder: textOrder))
            }
            return result
        }
    }

    /// The order of one of Foundation's descriptors.
    public init(_ descriptor: SortDescriptor<Item>) { self.init([descriptor]) }
}

extension SortDescriptor {
    /// The text order of the descriptor; `nil` if no ``TextOrder`` corresponds to it.
    fileprivate var textOrder: TextOrder? {
        guard let comparator = stringComparator else { return .scalars }
        if comparator == .lexical { return .scalars }
        #if canImport(Darwin)
            if comparator == .localizedStandard { return .localizedStandard }
        #endif
        return nil
    }
}
