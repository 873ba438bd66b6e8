import JustPersist

/// Key paths into an object, as a mapping names them.
enum MemberPath {
    /// The value at a key path, with the member of the object at its beginning; `nil` if there is none.
    static func find(
        _ path: Substring, in members: [String: DataStoreValue]
    ) -> (root: String, value: DataStoreValue)? {
        if let value = members[String(path)] { return (String(path), value) }
        // A key may contain dots, too.
        for dot in path.indices where path[dot] == "." {
            let key = String(path[..<dot])
            if let value = members[key].flatMap({ find(path[dot...].dropFirst(), in: $0) }) {
                return (key, value)
            }
        }
        return nil
    }

    private static func find(_ path: Substring, in value: DataStoreValue) -> DataStoreValue? {
        switch value {
        case .dictionary(let members): return find(path, in: members)?.value
        case .array(let elements):
            let place = path.prefix { $0 != "." }
            guard let index = Int(place), elements.indices.contains(index) else { return nil }
            let rest = path.dropFirst(place.count + 1)
            return rest.isEmpty ? elements[index] : find(rest, in: elements[index])
        default: return nil
        }
    }

    /// The object without the value at the key path; objects that become empty are removed, too.
    ///
    /// The elements of arrays are kept.
    static func remove(_ path: Substring, from members: inout [String: DataStoreValue]) {
        if members.removeValue(forKey: String(path)) != nil { return }
        for dot in path.indices where path[dot] == "." {
            let key = String(path[..<dot])
            let rest = path[dot...].dropFirst()
            guard case .dictionary(var inner)? = members[key], find(rest, in: inner) != nil else {
                continue
            }
            remove(rest, from: &inner)
            members[key] = inner.isEmpty ? nil : .dictionary(inner)
            return
        }
    }
}
