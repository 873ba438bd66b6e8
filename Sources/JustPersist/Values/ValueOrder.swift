/// How one value stands to another.
public enum ValueOrder: Sendable, Hashable {
    /// The first comes before the second.
    case ascending
    /// Neither comes before the other.
    case same
    /// The first comes after the second.
    case descending

    /// The same pair, seen from the other side.
    public var reversed: ValueOrder {
        switch self {
        case .ascending: .descending
        case .same: .same
        case .descending: .ascending
        }
    }

    /// How `first` stands to `second` by their own order.
    init<Value: Comparable>(_ first: Value, _ second: Value) {
        self = first < second ? .ascending : second < first ? .descending : .same
    }

    /// How two texts stand by the Unicode scalars of their composed forms (NFC).
    ///
    /// Swift's own `<` means the same, but is wrong, or true for neither, where a text goes on with a mark
    /// that combines with the last letter of the other: U+01E9 against U+01E9 U+0327.
    init(_ first: String, _ second: String) {
        if first.isSurelyComposed, second.isSurelyComposed {
            self.init(bytesOf: first, second)
        } else if first == second {
            self = .same
        } else {
            let order = ValueOrder(bytesOf: first.composed, second.composed)
            // Swift's tables may be newer than those that compose.
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
