/// A condition that items are filtered by: a value that is built, stored, printed and walked.
///
/// Write one as text in `NSPredicate`'s language, with placeholders for the values:
///
/// ```swift
/// let predicate = try DataStorePredicate("stars > %d AND name CONTAINS[cd] %@", 3, "cafe")
/// ```
///
/// The cases are the whole meaning, so that a store may translate them into its own query language.
/// Logic has two values: a missing attribute is null, null equals null, every ordering against null is
/// false, and a predicate and its negation divide any set of items between them.
///
/// A predicate that you build from the cases is not checked at once: a store calls ``validate(operators:)``
/// before it uses a predicate. Keep predicates that your code builds flat. Swift releases nested values
/// recursively, and releasing a predicate of 2,000 levels exhausts a stack of 512 KB.
public indirect enum DataStorePredicate: Sendable, Hashable {
    /// True or false for every item.
    case constant(Bool)
    /// A relation between two expressions.
    case comparison(Comparison)
    /// True when all parts are: true when there are none.
    case and([DataStorePredicate])
    /// True when one part is at least: false when there are none.
    case or([DataStorePredicate])
    /// True when the part is false.
    case not(DataStorePredicate)
    /// Whether Swift code finds that an item fulfils a condition: see ``ItemEvaluation``.
    case evaluated(ItemEvaluation)
}

extension DataStorePredicate {
    /// The predicate that an attribute, or a key path with dots, equals a value.
    ///
    /// `nil` finds items in which the attribute is null or missing. Throws `.unsupportedValue` for a
    /// value that cannot be stored and `.invalidPredicate` for a key path with an empty name.
    public init(attribute: String, equals value: Any?) throws(DataStoreError) {
        let left = try Expression(keyPath: attribute)
        self = .comparison(Comparison(left, .equal, .value(try DataStoreValue(value))))
    }

    /// Both conditions, chains of them as one flat ``and(_:)``.
    public static func && (
        left: DataStorePredicate, right: DataStorePredicate
    ) -> DataStorePredicate {
        func parts(_ predicate: DataStorePredicate) -> [DataStorePredicate] {
            if case .and(let parts) = predicate { parts } else { [predicate] }
        }
        return .and(parts(left) + parts(right))
    }

    /// Either condition or both, chains of them as one flat ``or(_:)``.
    public static func || (
        left: DataStorePredicate, right: DataStorePredicate
    ) -> DataStorePredicate {
        func parts(_ predicate: DataStorePredicate) -> [DataStorePredicate] {
            if case .or(let parts) = predicate { parts } else { [predicate] }
        }
        return .or(parts(left) + parts(right))
    }

    /// The opposite condition.
    public static prefix func ! (predicate: DataStorePredicate) -> DataStorePredicate {
        .not(predicate)
    }
}
