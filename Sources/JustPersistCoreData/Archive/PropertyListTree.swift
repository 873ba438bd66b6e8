import Foundation

/// A small property list, in the binary form or as XML, such as those that describe stores and models.
indirect enum PropertyListTree {
    case text(String)
    case data(Data)
    case dictionary([String: PropertyListTree])
    /// An object of another kind.
    case other

    /// Reads a list.
    init(_ bytes: Data) throws(Malformed) {
        if bytes.starts(with: Data("bplist".utf8)) {
            let list = try BinaryPropertyList(Array(bytes))
            var budget = 100_000
            self = try Self(list, list.top, depth: 0, &budget)
        } else {
            let tree = try XMLTree(bytes)
            self = (tree.name == "plist" ? tree.children.first : tree).map { Self($0) } ?? .other
        }
    }

    private init(
        _ list: BinaryPropertyList, _ place: Int, depth: Int, _ budget: inout Int
    ) throws(Malformed) {
        // An object may be shared by many, or contain itself.
        budget -= 1
        guard budget > 0, depth < 10 else { throw Malformed("it has too many objects") }
        switch list.objects[place] {
        case .string(let text): self = .text(text)
        case .data(let data): self = .data(data)
        case .dictionary(let keys, let values):
            var members: [String: PropertyListTree] = [:]
            for (key, value) in zip(keys, values) {
                guard case .string(let name) = list.objects[key] else { continue }
                members[name] = try Self(list, value, depth: depth + 1, &budget)
            }
            self = .dictionary(members)
        default: self = .other
        }
    }

    private init(_ tree: XMLTree) {
        switch tree.name {
        case "string": self = .text(tree.text)
        case "data":
            self =
                Data(base64Encoded: tree.text, options: .ignoreUnknownCharacters)
                .map { .data($0) } ?? .other
        case "dict":
            var members: [String: PropertyListTree] = [:]
            for (key, value) in zip(tree.children, tree.children.dropFirst())
            where key.name == "key" {
                members[key.text] = Self(value)
            }
            self = .dictionary(members)
        default: self = .other
        }
    }

    /// A member of a dictionary.
    subscript(_ name: String) -> PropertyListTree? { members?[name] }

    var members: [String: PropertyListTree]? {
        if case .dictionary(let members) = self { members } else { nil }
    }

    var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    var data: Data? {
        if case .data(let data) = self { data } else { nil }
    }
}
