public import JustPersist

extension ItemMapping {
    /// Where the value of an attribute comes from, and what is made of it.
    public struct Source: Sendable {
        /// What becomes of the value.
        enum Use: Sendable {
            case value(kinds: Set<DataStoreValue.Kind>, formats: [DateFormat], Transform?)
            case items(ItemType, ItemMapping, isList: Bool)
        }

        /// The key paths; the attribute's own name if there are none.
        let keyPaths: [String]
        let defaultValue: DataStoreValue?
        let use: Use

        /// Makes the value to store of the value that was found.
        public typealias Transform = @Sendable (DataStoreValue) throws -> DataStoreValue

        /// The value at the first of these key paths that has one.
        ///
        /// - Parameters:
        ///   - keyPaths: The key paths; the attribute's own name if there are none.
        ///   - format: How points in time are written; the first format that fits counts. Without a format text in ISO 8601
        ///     is read, and a number is no point in time.
        ///   - kinds: The kinds to convert to; empty for those that the attribute is declared with.
        ///   - defaultValue: The value where no key path has one; `nil` to leave the attribute alone.
        ///   - transform: Makes another value of the one that was found, if that is not null; it is converted afterwards.
        public static func from(
            _ keyPaths: String..., format: DateFormat..., as kinds: Set<DataStoreValue.Kind> = [],
            default defaultValue: DataStoreValue? = nil, transform: Transform? = nil
        ) -> Source {
            Source(
                keyPaths: keyPaths, defaultValue: defaultValue,
                use: .value(kinds: kinds, formats: format, transform))
        }

        /// The value at the first of these key paths that has one, as it is or of the kinds that the attribute is declared with.
        public static func from(_ keyPaths: [String]) -> Source {
            Source(keyPaths: keyPaths, use: .value(kinds: [], formats: [], nil))
        }

        /// A reference to the item that the object at the key path stands for.
        ///
        /// The object is imported by the mapping. In place of an object there may be the value of the mapping's
        /// ``ItemMapping/key`` alone: it refers to the item with that value, which is made if there is none.
        public static func item(
            _ type: any MutableDataStoreItem.Type, from keyPaths: String...,
            mapping: ItemMapping = ItemMapping()
        ) -> Source {
            Source(keyPaths, ItemType(type), mapping, isList: false)
        }

        /// The same for a type without a Swift class.
        public static func item(
            _ itemTypeKey: String, from keyPaths: String..., mapping: ItemMapping = ItemMapping()
        ) -> Source {
            Source(keyPaths, ItemType(dynamic: itemTypeKey), mapping, isList: false)
        }

        /// An array of references to the items that the objects in the array at the key path stand for.
        ///
        /// Each is as `item` has it. A single object is an array of one.
        public static func items(
            _ type: any MutableDataStoreItem.Type, from keyPaths: String...,
            mapping: ItemMapping = ItemMapping()
        ) -> Source {
            Source(keyPaths, ItemType(type), mapping, isList: true)
        }

        /// The same for a type without a Swift class.
        public static func items(
            _ itemTypeKey: String, from keyPaths: String..., mapping: ItemMapping = ItemMapping()
        ) -> Source {
            Source(keyPaths, ItemType(dynamic: itemTypeKey), mapping, isList: true)
        }

        private init(
            _ keyPaths: [String], _ type: ItemType, _ mapping: ItemMapping, isList: Bool
        ) {
            self.init(
                keyPaths: keyPaths, defaultValue: nil, use: .items(type, mapping, isList: isList))
        }

        init(keyPaths: [String], defaultValue: DataStoreValue? = nil, use: Use) {
            self.keyPaths = keyPaths
            self.defaultValue = defaultValue
            self.use = use
        }
    }

    /// How points in time are written.
    public enum DateFormat: Sendable, Hashable, ExpressibleByStringLiteral {
        /// ISO 8601 with a time zone, or a day, which begins in Greenwich.
        case iso8601
        /// A number of seconds since 1970.
        case secondsSince1970
        /// A number of milliseconds since 1970.
        case millisecondsSince1970
        /// A pattern of Unicode Technical Standard 35, such as `dd.MM.yyyy HH:mm`.
        ///
        /// Names of months and days are English. Without a zone in the pattern the time is that of Greenwich.
        case pattern(String)

        /// The pattern.
        public init(stringLiteral pattern: String) { self = .pattern(pattern) }
    }
}
