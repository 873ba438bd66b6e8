extension KeyPath where Root: DataStoreItem {
    /// The items in which the attribute equals the value; `nil` finds those without one.
    public static func == (keyPath: KeyPath, value: Value) -> ItemPredicate<Root>
    where Value: Equatable {
        ItemPredicate(keyPath, .equal, value, as: Value.self)
    }

    /// The items in which the attribute does not equal the value; `nil` finds those with one.
    public static func != (keyPath: KeyPath, value: Value) -> ItemPredicate<Root>
    where Value: Equatable {
        ItemPredicate(keyPath, .notEqual, value, as: Value.self)
    }

    // For a value that is not a literal: without these the compiler looks for an attribute that is not optional.

    /// The items in which the attribute equals the value; never those without one.
    public static func == <Wrapped: Equatable>(
        keyPath: KeyPath, value: Wrapped
    ) -> ItemPredicate<Root> where Value == Wrapped? {
        ItemPredicate(keyPath, .equal, value, as: Value.self)
    }

    /// The items in which the attribute does not equal the value, including those without one.
    public static func != <Wrapped: Equatable>(
        keyPath: KeyPath, value: Wrapped
    ) -> ItemPredicate<Root> where Value == Wrapped? {
        ItemPredicate(keyPath, .notEqual, value, as: Value.self)
    }

    /// The items in which the attribute is before the value.
    public static func < (keyPath: KeyPath, value: Value) -> ItemPredicate<Root>
    where Value: Comparable {
        ItemPredicate(keyPath, .less, value, as: Value.self)
    }

    /// The items in which the attribute is before the value; never those without one.
    public static func < <Wrapped: Comparable>(
        keyPath: KeyPath, value: Wrapped
    ) -> ItemPredicate<Root> where Value == Wrapped? {
        ItemPredicate(keyPath, .less, value, as: Value.self)
    }

    /// The items in which the attribute is before the value or equal to it.
    public static func <= (keyPath: KeyPath, value: Value) -> ItemPredicate<Root>
    where Value: Comparable {
        ItemPredicate(keyPath, .lessOrEqual, value, as: Value.self)
    }

    /// The items in which the attribute is before the value or equal to it; never those without one.
    public static func <= <Wrapped: Comparable>(
        keyPath: KeyPath, value: Wrapped
    ) -> ItemPredicate<Root> where Value == Wrapped? {
        ItemPredicate(keyPath, .lessOrEqual, value, as: Value.self)
    }

    /// The items in which the attribute is after the value.
    public static func > (keyPath: KeyPath, value: Value) -> ItemPredicate<Root>
    where Value: Comparable {
        ItemPredicate(keyPath, .greater, value, as: Value.self)
    }

    /// The items in which the attribute is after the value; never those without one.
    public static func > <Wrapped: Comparable>(
        keyPath: KeyPath, value: Wrapped
    ) -> ItemPredicate<Root> where Value == Wrapped? {
        ItemPredicate(keyPath, .greater, value, as: Value.self)
    }

    /// The items in which the attribute is after the value or equal to it.
    public static func >= (keyPath: KeyPath, value: Value) -> ItemPredicate<Root>
    where Value: Comparable {
        ItemPredicate(keyPath, .greaterOrEqual, value, as: Value.self)
    }

    /// The items in which the attribute is after the value or equal to it; never those without one.
    public static func >= <Wrapped: Comparable>(
        keyPath: KeyPath, value: Wrapped
    ) -> ItemPredicate<Root> where Value == Wrapped? {
        ItemPredicate(keyPath, .greaterOrEqual, value, as: Value.self)
    }

    /// The items in which the attribute equals one of the values.
    public func isIn(_ values: [Value]) -> ItemPredicate<Root> {
        ItemPredicate(self, .in, values, as: Value.self)
    }

    /// The items in which the array has an element equal to the value.
    public func contains<Element: Equatable>(_ element: Element) -> ItemPredicate<Root>
    where Value == [Element] {
        ItemPredicate(self, .contains, element, as: Element.self)
    }

    /// The items in which the array has an element equal to the value.
    public func contains<Element: Equatable>(_ element: Element) -> ItemPredicate<Root>
    where Value == [Element]? {
        ItemPredicate(self, .contains, element, as: Element.self)
    }
}
