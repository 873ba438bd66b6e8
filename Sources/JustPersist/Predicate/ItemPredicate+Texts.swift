/// The type of an attribute that holds a text: `String` or `String?`.
public protocol TextAttribute {}

extension String: TextAttribute {}
extension Optional: TextAttribute where Wrapped == String {}

/// The type of an attribute that holds a list of texts: `[String]` or `[String]?`.
public protocol TextListAttribute {}

extension [String]: TextListAttribute {}
extension Optional: TextListAttribute where Wrapped == [String] {}

/// Conditions on texts: write `(\Restaurant.name).contains("cafe", [.caseInsensitive])`.
///
/// A missing text contains nothing, and the empty text is found nowhere; see ``DataStorePredicate/Operator/contains``.
extension KeyPath where Root: DataStoreItem, Value: TextAttribute {
    /// The items in which the text contains the other.
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

    /// The items in which the text equals the other, apart from differences that the options ignore.
    public func equals(
        _ text: String, _ options: DataStorePredicate.Options
    ) -> ItemPredicate<Root> {
        ItemPredicate(self, .equal, text: .string(text), options)
    }

    /// The items in which the text equals one of the others, apart from differences that the options ignore.
    public func isIn(
        _ texts: [String], _ options: DataStorePredicate.Options
    ) -> ItemPredicate<Root> {
        ItemPredicate(self, .in, text: .array(texts.map { .string($0) }), options)
    }

    /// The items in which the text matches a pattern, where `*` stands for any characters and `?` for one: see
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

    /// The items in which a relation holds between the text and the other, such as `.less` for before it.
    public func compares(
        _ relation: DataStorePredicate.Operator, _ text: String,
        _ options: DataStorePredicate.Options
    ) -> ItemPredicate<Root> {
        ItemPredicate(self, relation, text: .string(text), options)
    }
}

/// Conditions on lists of texts; a missing list has no elements.
extension KeyPath where Root: DataStoreItem, Value: TextListAttribute {
    /// The items in which the list has the text as an element, apart from differences that the options ignore.
    public func contains(
        _ text: String, _ options: DataStorePredicate.Options
    ) -> ItemPredicate<Root> {
        ItemPredicate(self, .equal, text: .string(text), options, modifier: .any)
    }
}
