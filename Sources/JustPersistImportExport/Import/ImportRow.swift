import JustPersist

// Sendable is stated, because it is not inferred reliably for a type that contains itself.
/// One row of a file: the values for one item.
struct ImportRow: Sendable {
    typealias Member = (name: String, value: DataStoreValue)

    /// The maximum size of a row's text in bytes: enough for the Base64 of the largest value that stores accept.
    static let mostBytes = 512 << 20

    /// The line that it begins on, counted from 1.
    let line: Int
    /// The number of rows before it in the file.
    var position = 0
    /// The id of the item, if the row has one.
    let id: ItemID?
    /// The values by attribute, in the order of the file; if a name is repeated, the last value applies.
    var members: [Member]
    /// The attributes that are references to other items.
    var nested: [Nested] = []
    /// The values by which the items of relationships are found.
    var links: [Link] = []
    /// The object that the row was made from, if a mapping needs it.
    var object: [String: DataStoreValue]?

    /// The items that an attribute refers to.
    struct Nested: Sendable {
        let attribute: String
        let rows: [ImportRow]
        /// Whether the attribute is an array.
        let isList: Bool
    }

    /// The others of the row's item in a relationship.
    struct Link {
        /// The place of the relationship among those of the import.
        let relation: Int
        /// References, or values of the other items' key; empty for no other item.
        let values: [DataStoreValue]
    }

    /// A row with the members in the file, which may include an id.
    init(line: Int, _ members: [Member]) throws(RowFailure) {
        self.line = line
        guard members.contains(where: { $0.name.utf8.first == UInt8(ascii: "$") }) else {
            self.members = members
            id = nil
            return
        }
        var id: ItemID?
        var values: [Member] = []
        for member in members {
            guard member.name == JSONTag.id else {
                values.append((JSONTag.attribute(member.name), member.value))
                continue
            }
            id = Self.id(member.value)
            if id == nil {
                throw RowFailure(
                    reason: """
                        “$id” is not the id of an item, 36 characters of a UUID. For an attribute of that name write \
                        “$$id”
                        """, line: line)
            }
        }
        self.id = id
        self.members = values
    }

    static func id(_ value: DataStoreValue) -> ItemID? {
        switch value {
        case .string(let text): ItemID(text)
        case .uuid(let uuid): ItemID(uuid)
        default: nil
        }
    }

    /// The reason why a name in a file cannot be an attribute's name, and the advice; `nil` if it can.
    ///
    /// - Parameter isKnown: Whether the type has such an attribute already.
    static func problem(
        withName name: String, isKnown: @autoclosure () -> Bool = false
    ) -> (reason: String, advice: String)? {
        if name == "uniqueToken", !isKnown() {
            return (
                "“uniqueToken” cannot be the name of an attribute, because it is the name of an item's id",
                """
                If it has the ids of the items, say so (--rename 'uniqueToken=$id'); or name the attribute (--rename \
                uniqueToken=NAME)
                """
            )
        }
        if name.isEmpty {
            return (
                "the key “” cannot be the name of an attribute, as it is empty",
                "Name the attribute (--rename '=NAME')"
            )
        }
        if name.utf8.contains(UInt8(ascii: ".")) {
            let proposal = String(name.map { $0 == "." ? "_" : $0 })
            return (
                "the key “\(name)” cannot be the name of an attribute, as it has a dot",
                "Name the attribute (--rename '\(name)=\(proposal)')"
            )
        }
        return nil
    }
}

/// One object of a file, before a mapping.
struct FileRow {
    /// The line that it begins on, counted from 1.
    let line: Int
    let members: [ImportRow.Member]

    /// Whether there is a value, or null, at a key path.
    func has(_ keyPath: String) -> Bool {
        members.contains { name, value in
            name == keyPath
                || keyPath.hasPrefix(name + ".")
                    && MemberPath.find(keyPath[...], in: [name: value]) != nil
        }
    }
}

/// The fault of a row.
struct RowFailure: Error {
    let reason: String
    let line: Int
    /// Whether the beginning of the next row cannot be found.
    var endsReading = false
}

/// The rows of a file in one of the formats.
protocol RowSource {
    /// The number of bytes of text that were read.
    var offset: Int { get }

    /// The next object; `nil` after the last one.
    ///
    /// - Throws: ``RowFailure``, after which the next row can be read unless ``RowFailure/endsReading`` is true, or
    ///   `DataStoreError` if the file cannot be read.
    mutating func next() throws -> FileRow?

    /// Skips a row, and returns whether there was one.
    mutating func skip() throws -> Bool
}
