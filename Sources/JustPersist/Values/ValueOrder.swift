/// The order of two values.
public enum ValueOrder: Sendable, Hashable {
    /// The first comes before the second.
    case ascending
    /// Neither comes before the other.
    case same
    /// The first comes after the second.
    case descending

    /// The order of the values exchanged.
    public var reversed: ValueOrder {
        switch self {
        case .ascending: .descending
        case .same: .same
        case .descending: .ascending
        }
    }

    /// The order of two values of a comparable type.
    init<Value: Comparable>(_ first: Value, _ second: Value) {
        self = first < second ? .ascending : second < first ? .descending : .same
    }

    /// The order of two texts by the Unicode scalars of their composed forms (NFC).
    ///
    /// Swift's `<` has the same meaning, but is wrong, or false in both directions, if a text continues with a mark
    /// that combines with the last letter of the other: U+01E9 against U+01E9 U+0327.
    init(_ first: String, _ second: String) {
        if first.isSurelyComposed, second.isSurelyComposed {
            self.init(bytesOf: first, second)
        } else if first == second {
            self = .same
        } else {
            let order = ValueOrder(bytesOf: first.composed, second.composed)
            // Swift's tables may be newer than those used for composition.
            self = order == .same ? ValueOrder(bytesOf: first, second) : order
        }
    }

    private init(bytesOf first: String, _ second: String) {
        var rest = second.utf8.makeIterator()
        for byte in first.utf8 {
            guard let other = rest.next() else {
                self = .descending
                return
            }
            if byte != other {
                self = byte < other ? .ascending : .descending
                return
            }
        }
        self = rest.next() == nil ? .same : .ascending
    }
}
