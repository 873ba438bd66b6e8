import Foundation

/// The graph of objects that NSKeyedArchiver has written.
///
/// It has no classes: an object is a node with named members, and those that collections keep their elements in are read as such.
final class KeyedArchive {
    fileprivate let objects: [BinaryPropertyList.Object]
    /// The places of the archived objects among those of the property list.
    private let places: [Int]
    private let top: [String: Int]

    /// Reads an archive.
    init(_ bytes: [UInt8]) throws(Malformed) {
        let list = try BinaryPropertyList(bytes)
        objects = list.objects
        guard let members = Self.members(of: list.top, objects),
            let place = members["$objects"], case .array(let places) = objects[place],
            let roots = members["$top"].flatMap({ Self.members(of: $0, list.objects) })
        else { throw Malformed("it is no archive") }
        self.places = places
        top = roots
    }

    /// The outermost object.
    var root: Node? { (top["root"] ?? top.values.first).flatMap(node) }

    /// The members by name; `nil` if the object has none, or more than any class that is read here.
    fileprivate static func members(
        of place: Int, _ objects: [BinaryPropertyList.Object]
    ) -> [String: Int]? {
        guard case .dictionary(let keys, let values) = objects[place], keys.count <= 100 else {
            return nil
        }
        var members: [String: Int] = [:]
        for (key, value) in zip(keys, values) {
            if case .string(let name) = objects[key] { members[name] = value }
        }
        return members
    }

    /// The object at a place of the list, or that to which it refers; `nil` for none.
    fileprivate func node(_ place: Int) -> Node? {
        var place = place
        if case .uid(let index) = objects[place] {
            guard index < places.count else { return nil }
            place = places[index]
            // An archive refers to its objects once.
            if case .uid = objects[place] { return nil }
        }
        if case .null = objects[place] { return nil }
        if case .string("$null") = objects[place] { return nil }
        return Node(archive: self, place: place)
    }

    /// One object.
    struct Node {
        fileprivate let archive: KeyedArchive
        fileprivate let place: Int

        /// The value itself, for those without members.
        var value: BinaryPropertyList.Object { archive.objects[place] }

        /// The members of an object, by name.
        var members: [String: Node] {
            (KeyedArchive.members(of: place, archive.objects) ?? [:]).compactMapValues(archive.node)
        }

        /// The name of the object's class.
        var className: String { members["$class"]?.members["$classname"]?.string ?? "" }

        /// A text, also a mutable one.
        var string: String? {
            if case .string(let text) = value { return text }
            if case .dictionary = value, case .string(let text)? = members["NS.string"]?.value {
                return text
            }
            return nil
        }

        var int: Int? {
            if case .int(let number) = value { Int(exactly: number) } else { nil }
        }

        var bool: Bool {
            switch value {
            case .bool(let value): value
            case .int(let value): value != 0
            default: false
            }
        }

        /// The elements of an array or a set; `nil` for another object, and for one with more elements than a limit.
        func elements(atMost limit: Int) -> [Node?]? {
            switch value {
            case .array(let places) where places.count <= limit: return places.map(archive.node)
            case .dictionary:
                let members = members
                guard case .array(let places)? = members["NS.objects"]?.value,
                    members["NS.keys"] == nil, places.count <= limit
                else { return nil }
                return places.map(archive.node)
            default: return nil
            }
        }

        /// The keys and values of a dictionary; `nil` for another object, and for one with more entries than a limit.
        func entries(atMost limit: Int) -> [(key: Node, value: Node?)]? {
            let members = members
            let isKnown = members["NS.keys"] == nil
            guard
                let keys = isKnown
                    ? members["searchMapping"]?.members["keys"]?.elements(atMost: limit)
                    : members["NS.keys"]?.elements(atMost: limit),
                let values = members[isKnown ? "values" : "NS.objects"]?.elements(atMost: limit),
                keys.count == values.count, !keys.contains(where: { $0 == nil })
            else { return nil }
            return zip(keys, values).compactMap { key, value in key.map { ($0, value) } }
        }
    }
}
