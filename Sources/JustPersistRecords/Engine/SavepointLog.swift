import JustPersist

/// What the keys of an ``OrderedKeyMap`` had for values before they were changed in savepoints, to take the changes back.
///
/// For writers that collect changes in such a map. A savepoint costs what is changed in it, and not what is in the map.
public struct SavepointLog<Value> {
    private var entries: [(key: [UInt8], value: Value?)] = []
    /// Where in ``entries`` each open savepoint begins, the innermost last.
    private var starts: [Int] = []

    /// A log without savepoints.
    public init() {}

    /// Begins a savepoint, inside the one that is open if there is one.
    public mutating func begin() { starts.append(entries.count) }

    /// Notes the value of a key that is about to be changed; does nothing outside of savepoints.
    public mutating func note(_ key: Span<UInt8>, in map: OrderedKeyMap<Value>) {
        if starts.isEmpty { return }
        entries.append(([UInt8](copying: key), map.value(forKey: key)))
    }

    /// Ends the innermost savepoint, and leaves its changes to the one around it.
    public mutating func keep() {
        _ = starts.popLast()
        if starts.isEmpty { entries.removeAll() }
    }

    /// Ends the innermost savepoint, and takes its changes back.
    public mutating func revert(_ map: inout OrderedKeyMap<Value>) {
        let start = starts.popLast() ?? 0
        // The oldest value of a key last.
        while entries.count > start, let (key, value) = entries.popLast() {
            if let value {
                map.setValue(value, forKey: key.span)
            } else {
                map.removeValue(forKey: key.span)
            }
        }
    }
}
