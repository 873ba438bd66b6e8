import JustPersist

/// The values of the keys of an ``OrderedKeyMap`` before savepoints changed them, for undoing the changes.
///
/// Writers that collect changes in such a map use it. The cost of a savepoint depends on its changes, not on the size
/// of the map.
public struct SavepointLog<Value> {
    private var entries: [(key: [UInt8], value: Value?)] = []
    /// The start of each open savepoint in ``entries``, the innermost last.
    private var starts: [Int] = []

    /// A log without savepoints.
    public init() {}

    /// Begins a savepoint, nested in the open one if there is one.
    public mutating func begin() { starts.append(entries.count) }

    /// Notes the value of a key that is about to be changed; does nothing outside of savepoints.
    public mutating func note(_ key: Span<UInt8>, in map: OrderedKeyMap<Value>) {
        if starts.isEmpty { return }
        entries.append(([UInt8](copying: key), map.value(forKey: key)))
    }

    /// Ends the innermost savepoint; its changes become part of the enclosing one.
    public mutating func keep() {
        _ = starts.popLast()
        if starts.isEmpty { entries.removeAll() }
    }

    /// Ends the innermost savepoint, and undoes its changes.
    public mutating func revert(_ map: inout OrderedKeyMap<Value>) {
        let start = starts.popLast() ?? 0
        // Undone in reverse order, so that the oldest value of a key is set last.
        while entries.count > start, let (key, value) = entries.popLast() {
            if let value {
                map.setValue(value, forKey: key.span)
            } else {
                map.removeValue(forKey: key.span)
            }
        }
    }
}
