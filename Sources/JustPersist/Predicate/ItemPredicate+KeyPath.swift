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

    // For a value that is no literal: without these the compiler looks for an attribute that is not optional.

    /// The items in which the attribute equals the value; never those without one.
    public static func == <Wrapped: Equatable>(
        keyPath: KeyPath, value: Wrapped
    ) -> ItemPredicate<Root> where Value == Wrapped? {
        ItemPredicate(keyPath, .equal, value, as: Value.self)
    }

    /// The items in which the attribute does not equal the value, those without one among them.
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

    /// The items in which the attribute is before the value or the same.
    public static func <= (keyPath: KeyPath, value: Value) -> ItemPredicate<Root>
    where Value: Comparable {
        ItemPredicate(keyPath, .lessOrEqual, value, as: Value.self)
    }

    /// The items in which the attribute is before the value or the same; never those without one.
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

    /// The items in which the attribute is after the value or the same.
    public static func >= (keyPath: KeyPath, value: Value) -> ItemPredicate<Root>
    where Value: Comparable {
        ItemPredicate(keyPath, .greaterOrEqual, value, as: Value.self)
    }

    /// The items in which the attribute is after the value or the same; never those without one.
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

/// Texts: write `(\Restaurant.name).contains("cafe", [.caseInsensitive])`.
///
/// The empty text is found nowhere; see ``DataStorePredicate/Operator/contains``.
extension KeyPath where Root: DataStoreItem, Value == String {
    /// The items in which the text has the other as a part.
    public func contains(
        _ text: String, _ options: DataStorePredicate.Options = []
    ) -> ItemPredicate<Root> {
        ItemPredicate(self, .contains, text: .string(text), options)
    }

    /// The items in which the text begins with the other.
    public func hasPrefix(
        _ text: String, _ options: DataStorePredicate.Options = []
    ) -> ItemPredicate<Root> {
        ItemPredicate(self, .beginsWith, text: .string(text), options)
    }

    /// The items in which the text ends with the other.
    public func hasSuffix(
        _ text: String, _ options: DataStorePredicate.Options = []
    ) -> ItemPredicate<Root> {
        ItemPredicate(self, .endsWith, text: .string(text), options)
    }

    /// The items in which the text is the other, but for what the options tell to ignore.
    public func equals(
        _ text: String, _ options: DataStorePredicate.Options
    ) -> ItemPredicate<Root> {
        ItemPredicate(self, .equal, text: .string(text), options)
    }

    /// The items in which the text is one of the others, but for what the options tell to ignore.
    public func isIn(
        _ texts: [String], _ options: DataStorePredicate.Options
    ) -> ItemPredicate<Root> {
        ItemPredicate(self, .in, text: .array(texts.map { .string($0) }), options)
    }

    /// The items in which the text is like a pattern, where `*` stands for any characters and `?` for one: see
    /// ``DataStorePredicate/Operator/like``.
    public func isLike(
        _ pattern: String, _ options: DataStorePredicate.Options = []
    ) -> ItemPredicate<Root> {
        ItemPredicate(self, .like, text: .string(pattern), options)
    }

    /// The items in which a regular expression matches the whole text: see ``DataStorePredicate/Operator/matches``.
    public func matches(
        _ expression: String, _ options: DataStorePredicate.Options = []
    ) -> ItemPredicate<Root> {
        ItemPredicate(self, .matches, text: .string(expression), options)
    }

    /// The items in which the text stands in a relation to the other, such as `.less` for before it.
    public func compares(
        _ relation: DataStorePredicate.Operator, _ text: String,
        _ options: DataStorePredicate.Options
    ) -> ItemPredicate<Root> {
        ItemPredicate(self, relation, text: .string(text), options)
    }
}

/// The same for texts that may be missing, in which nothing is found.
extension KeyPath where Root: DataStoreItem, Value == String? {
    /// The items in which the text has the other as a part.
    public func contains(
        _ text: String, _ options: DataStorePredicate.Options = []
    ) -> ItemPredicate<Root> {
        ItemPredicate(self, .contains, text: .string(text), options)
    }

    /// The items in which the text begins with the other.
    public func hasPrefix(
        _ text: String, _ options: DataStorePredicate.Options = []
    ) -> ItemPredicate<Root> {
        ItemPredicate(self, .beginsWith, text: .string(text), options)
    }

    /// The items in which the text ends with the other.
    public func hasSuffix(
        _ text: String, _ options: DataStorePredicate.Options = []
    ) -> ItemPredicate<Root> {
        ItemPredicate(self, .endsWith, text: .string(text), options)
    }

    /// The items in which the text is the other, but for what the options tell to ignore.
    public func equals(
        _ text: String, _ options: DataStorePredicate.Options
    ) -> ItemPredicate<Root> {
        ItemPredicate(self, .equal, text: .string(text), options)
    }

    /// The items in which the text is one of the others, but for what the options tell to ignore.
    public func isIn(
        _ texts: [String], _ options: DataStorePredicate.Options
    ) -> ItemPredicate<Root> {
        ItemPredicate(self, .in, text: .array(texts.map { .string($0) }), options)
    }

    /// The items in which the text is like a pattern, where `*` stands for any characters and `?` for one: see
    /// ``DataStorePredicate/Operator/like``.
    public func isLike(
        _ pattern: String, _ options: DataStorePredicate.Options = []
    ) -> ItemPredicate<Root> {
        ItemPredicate(self, .like, text: .string(pattern), options)
    }

    /// The items in which a regular expression matches the whole text: see ``DataStorePredicate/Operator/matches``.
    public func matches(
        _ expression: String, _ options: DataStorePredicate.Options = []
    ) -> ItemPredicate<Root> {
        ItemPredicate(self, .matches, text: .string(expression), options)
    }

    /// The items in which the text stands in a relation to the other, such as `.less` for before it.
    public func compares(
        _ relation: DataStorePredicate.Operator, _ text: String,
        _ options: DataStorePredicate.Options
    ) -> ItemPredicate<Root> {
        ItemPredicate(self, relation, text: .string(text), options)
    }
}

/// Lists of texts.
extension KeyPath where Root: DataStoreItem, Value == [String] {
    /// The items in which the list has the text as an element, but for what the options tell to ignore.
    public func contains(
        _ text: String, _ options: DataStorePredicate.Options
    ) -> ItemPredicate<Root> {
        ItemPredicate(self, .equal, text: .string(text), options, modifier: .any)
    }
}

/// Lists of texts that may be missing, which have no elements then.
extension KeyPath where Root: DataStoreItem, Value == [String]? {
    /// The items in which the list has the text as an element, but for what the options tell to ignore.
    public func contains(
        _ text: String, _ options: DataStorePredicate.Options
    ) -> ItemPredicate<Root> {
        ItemPredicate(self, .equal, text: .string(text), options, modifier: .any)
    }
}
