import Foundation

extension DataStoreValue {
    /// The deepest nesting of arrays and dictionaries in a value.
    public static let depthLimit = 100

    /// The stored form of a Swift value; `nil` becomes ``null``.
    ///
    /// Accepts every integer type, Float, Double, CGFloat, Decimal, Bool, String, Substring, Date, Data, UUID, URL,
    /// ``ItemID`` (as a UUID), ``ItemReference``, ``DataStoreValue``, optionals, arrays and string-keyed dictionaries
    /// of these, and the corresponding Foundation classes. An `NSNumber` keeps its kind: truth values, whole numbers
    /// and floating-point numbers remain distinct, and an `NSDecimalNumber` becomes a decimal.
    ///
    /// Throws `.unsupportedValue`, naming the type, for any other type and for whole numbers outside
    /// 64 bits; `.limitExceeded` for collections nested deeper than ``depthLimit``.
    public init(_ any: Any?) throws(DataStoreError) {
        self = try Self.converted(any, depth: 0)
    }

    /// The Swift value: `nil` for ``null``, Int for ``int(_:)``, `[Any?]` and `[String: Any?]` for
    /// collections, a ``ItemReference`` for a reference.
    public var any: Any? {
        switch self {
        case .null: nil
        case .bool(let value): value
        case .int(let value): Int(value)
        case .double(let value): value
        case .string(let value): value
        case .date(let value): value
        case .data(let value): value
        case .uuid(let value): value
        case .decimal(let value): value
        case .url(let value): value
        case .reference(let value): value
        case .array(let values): values.map(\.any)
        case .dictionary(let values): values.mapValues(\.any)
        }
    }

    private static func converted(
        _ any: Any?, depth: Int
    ) throws(DataStoreError) -> DataStoreValue {
        guard let any else { return .null }
        // Swift casts an NSNumber to any numeric type that can hold it, so objects are handled first.
        if type(of: any) is any AnyObject.Type {
            if any is NSNull { return .null }
            if let number = any as? NSDecimalNumber { return .decimal(number.decimalValue) }
            if let number = any as? NSNumber { return try converted(number) }
        }
        switch any {
        case let value as DataStoreValue: return value
        case let value as any OptionalValue: return try converted(value.wrapped, depth: depth)
        case let value as Bool: return .bool(value)
        case let value as any BinaryInteger:
            guard let int = Int64(exactly: value) else { throw outside64Bits("\(value)") }
            return .int(int)
        case let value as Double: return .double(value)
        case let value as Float: return .double(Double(value))
        case let value as CGFloat: return .double(Double(value))
        case let value as String: return .string(value)
        case let value as Substring: return .string(String(value))
        case let value as Date: return .date(value)
        case let value as Data: return .data(value)
        case let value as UUID: return .uuid(value)
        case let value as ItemID: return .uuid(value.uuid)
        case let value as Decimal: return .decimal(value)
        case let value as URL: return .url(value)
        case let value as ItemReference: return .reference(value)
        case let value as [Any?]: return try converted(value, depth: depth + 1)
        case let value as [String: Any?]: return try converted(value, depth: depth + 1)
        default:
            throw DataStoreError(
                .unsupportedValue, in: "setValue",
                """
                A value of type \(type(of: any)) cannot be stored; store a String, number, Bool, Date, \
                Data, UUID, Decimal, URL or reference, or an array or string-keyed dictionary of these.
                """)
        }
    }

    private static func converted(
        _ values: [Any?], depth: Int
    ) throws(DataStoreError) -> DataStoreValue {
        try checkDepth(depth)
        var array: [DataStoreValue] = []
        array.reserveCapacity(values.count)
        for value in values { array.append(try converted(value, depth: depth)) }
        return .array(array)
    }

    private static func converted(
        _ values: [String: Any?], depth: Int
    ) throws(DataStoreError) -> DataStoreValue {
        try checkDepth(depth)
        var dictionary: [String: DataStoreValue] = [:]
        dictionary.reserveCapacity(values.count)
        for (name, value) in values { dictionary[name] = try converted(value, depth: depth) }
        return .dictionary(dictionary)
    }

    private static func converted(_ number: NSNumber) throws(DataStoreError) -> DataStoreValue {
        // Foundation has one object for each truth value, distinct from numbers that equal it.
        if number === NSNumber(value: true) { return .bool(true) }
        if number === NSNumber(value: false) { return .bool(false) }
        #if canImport(Darwin)
            if CFNumberIsFloatType(number as CFNumber) { return .double(number.doubleValue) }
        #endif
        // Elsewhere only a floating-point number is written with a point, an exponent or letters.
        let text = number.description
        if let int = Int64(text) { return .int(int) }
        if UInt64(text) != nil { throw outside64Bits(text) }
        return .double(number.doubleValue)
    }

    private static func checkDepth(_ depth: Int) throws(DataStoreError) {
        guard depth > depthLimit else { return }
        throw DataStoreError(
            .limitExceeded, in: "setValue",
            """
            The value holds more than \(depthLimit) arrays or dictionaries inside one another, \
            which is the limit; store it with less nesting.
            """)
    }

    private static func outside64Bits(_ text: String) -> DataStoreError {
        DataStoreError(
            .unsupportedValue, in: "setValue",
            "The whole number \(text) does not fit into 64 bits; store it as a Decimal or a String."
        )
    }
}

/// Any optional, which distinguishes an optional inside an `Any` from a value.
protocol OptionalValue {
    static var wrappedType: Any.Type { get }
    var wrapped: Any? { get }
}

extension Optional: OptionalValue {
    static var wrappedType: Any.Type { Wrapped.self }

    var wrapped: Any? { self }
}
