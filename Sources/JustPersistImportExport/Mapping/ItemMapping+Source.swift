public import JustPersist

extension ItemMapping {
    /// The source of an attribute's value, and its conversion.
    public struct Source: Sendable {
        /// The use of the value.
        enum Use: Sendable {
            case value(kinds: Set<DataStoreValue.Kind>, formats: [DateFormat], Transform?)
            case items(ItemType, ItemMapping, isList: Bool)
        }

        /// The key paths; the attribute's own name if there are none.
        let keyPaths: [String]
        let defaultValue: DataStoreValue?
        let use: Use

        /// Converts the value that was found to the value to store.
        public typealias Transform = @Sendable (DataStoreValue) throws -> DataStoreValue

        /// The value at the first of these key paths that has one.
        ///
        /// - Parameters:
        ///   - keyPaths: The key paths; the attribute's own name if there are none.
        ///   - format: The format of points in time; the first format that fits applies. Without a format, only ISO
        ///     8601 text is read as a point in time, not numbers.
        ///   - kinds: The kinds to convert to; empty for the attribute's declared kinds.
        ///   - defaultValue: The value if no key path has one; `nil` to leave the attribute unchanged.
        ///   - transform: Converts the value that was found, unless it is null; the result is then converted to the
        ///     kinds.
        public static func from(
            _ keyPaths: String..., format: DateFormat..., as kinds: Set<DataStoreValue.Kind> = [],
            default defaultValue: DataStoreValue? = nil, transform: Transform? = nil
        ) -> Source {
            Source(
                keyPaths: keyPaths, defaultValue: defaultValue,
                use: .value(kinds: kinds, formats: format, transform))
        }

        /// The value at the first of these key paths that has one, unchanged or converted to the attribute's declared
        /// kinds.
        public static func from(_ keyPaths: [String]) -> Source {
            Source(keyPaths: keyPaths, use: .value(kinds: [], formats: [], nil))
        }

        /// A reference to the item of the object at the key path.
        ///
        /// The object is imported with the mapping. A bare value of the mapping's ``ItemMapping/key`` in place of the
        /// object refers to the item with this value, which is created if there is none.
        public static func item(
            _ type: any MutableDataStoreItem.Type, from keyPaths: String...,
            mapping: ItemMapping = ItemMapping()
        ) -> Source {
            Source(keyPaths, ItemType(type), mapping, isList: false)
        }

        /// A reference to the item of the object at the key path, for a type without a Swift class.
        public static func item(
            _ itemTypeKey: String, from keyPaths: String..., mapping: ItemMapping = ItemMapping()
        ) -> Source {
            Source(keyPaths, ItemType(dynamic: itemTypeKey), mapping, isList: false)
        }

        /// An array of references to the items of the objects in the array at the key path.
        ///
        /// Each object is imported as by `item`. A single object counts as an array of one.
        public static func items(
            _ type: any MutableDataStoreItem.Type, from keyPaths: String...,
            mapping: ItemMapping = ItemMapping()
        ) -> Source {
            Source(keyPaths, ItemType(type), mapping, isList: true)
        }

        /// An array of references to the items of the objects at the key path, for a type without a Swift class.
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

    /// The format of points in time.
    public enum DateFormat: Sendable, Hashable, ExpressibleByStringLiteral {
        /// ISO 8601 with a time zone, or a day, which begins at midnight UTC.
        case iso8601
        /// A number of seconds since 1970.
        case secondsSince1970
        /// A number of milliseconds since 1970.
        case millisecondsSince1970
        /// A pattern of Unicode Technical Standard 35, such as `dd.MM.yyyy HH:mm`.
        ///
        /// Names of months and days are English. Without a zone in the pattern, the time is in UTC.
        case pattern(String)

        /// The pattern.
        public init(stringLiteral pattern: String) { self = .pattern(pattern) }
    }
}
