/// A condition that items are filtered by: a value that can be built, stored, printed and traversed.
///
/// Write one as text in `NSPredicate`'s language, with placeholders for the values:
///
/// ```swift
/// let predicate = try DataStorePredicate("stars > %d AND name CONTAINS[cd] %@", 3, "cafe")
/// ```
///
/// The cases define the whole meaning, so that a store may translate them into its own query language. Logic has two
/// values: a missing attribute is null, null equals null, every order comparison with null is false, and every item
/// matches either a predicate or its negation.
///
/// A predicate that you build from the cases is not checked immediately: a store calls ``validate(operators:)`` before
/// it uses a predicate. Keep predicates that your code builds flat. Swift releases nested values recursively, and
/// releasing a predicate of 2,000 levels exhausts a stack of 512 KB.
public indirect enum DataStorePredicate: Sendable, Hashable {
    /// True or false for every item.
    case constant(Bool)
    /// A relation between two expressions.
    case comparison(Comparison)
    /// True if all parts are true, and if there are none.
    case and([DataStorePredicate])
    /// True if at least one part is true; false if there are none.
    case or([DataStorePredicate])
    /// True if the part is false.
    case not(DataStorePredicate)
    /// A condition that Swift code evaluates on an item: see ``ItemEvaluation``.
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

    /// Both conditions; chains are one flat ``and(_:)``.
    public static func && (
        left: DataStorePredicate, right: DataStorePredicate
    ) -> DataStorePredicate {
        func parts(_ predicate: DataStorePredicate) -> [DataStorePredicate] {
            if case .and(let parts) = predicate { parts } else { [predicate] }
        }
        return .and(parts(left) + parts(right))
    }

    /// Either condition or both; chains are one flat ``or(_:)``.
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
