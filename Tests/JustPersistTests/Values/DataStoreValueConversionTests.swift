import Foundation
import JustPersist
import JustPersistConformance
import Testing

@Suite struct DataStoreValueConversionTests {
    @Test func swiftValues() throws {
        let date = Date(timeIntervalSinceReferenceDate: 0.125)
        let uuid = UUID()
        let url = try #require(URL(string: "http://a.b"))
        let reference = ItemReference(itemTypeKey: "T", id: ItemID(uuid))
        let cases: [(Any?, DataStoreValue)] = [
            (nil, .null), (Int?.none as Any, .null), (Int??.some(.some(3)) as Any, .int(3)),
            (true, .bool(true)), (1, .int(1)), (0, .int(0)), (UInt8(7), .int(7)),
            (Int64.min, .int(.min)), (UInt64(Int64.max), .int(.max)), (UInt128(5), .int(5)),
            (5.0, .double(5)), (-0.0, .double(-0.0)), (Float(1.5), .double(1.5)),
            (CGFloat(2.5), .double(2.5)), ("", .string("")), ("abc".dropFirst(), .string("bc")),
            (date, .date(date)), (Data([1]), .data(Data([1]))), (uuid, .uuid(uuid)),
            (ItemID(uuid), .uuid(uuid)), (Decimal(3), .decimal(3)), (url, .url(url)),
            (reference, .reference(reference)), (DataStoreValue.int(9), .int(9)),
            ([1, 2], .array([.int(1), .int(2)])), ([1, nil] as [Int?], .array([.int(1), .null])),
            ([[true]], .array([.array([.bool(true)])])), ([Int](), .array([])),
            (["a": [1.5]], .dictionary(["a": .array([.double(1.5)])])),
            (["a": nil] as [String: Int?], .dictionary(["a": .null])),
        ]
        for (any, expected) in cases { #expect(try DataStoreValue(any) == expected) }
    }

    @Test func foundationObjects() throws {
        let date = Date(timeIntervalSinceReferenceDate: 0.125)
        let uuid = UUID()
        let cases: [(NSObject, DataStoreValue)] = [
            (NSNull(), .null), (NSNumber(value: true), .bool(true)),
            (NSNumber(value: false), .bool(false)), (NSNumber(value: 1), .int(1)),
            (NSNumber(value: 0), .int(0)), (NSNumber(value: Int8(3)), .int(3)),
            (NSNumber(value: 1.0), .double(1)), (NSNumber(value: 0.0), .double(0)),
            (NSNumber(value: 1e20), .double(1e20)), (NSNumber(value: Float(5)), .double(5)),
            (NSNumber(value: Double.infinity), .double(.infinity)),
            (NSDecimalNumber(string: "1.5"), .decimal(1.5)), (NSString("x"), .string("x")),
            (NSDate(timeIntervalSinceReferenceDate: 0.125), .date(date)),
            (NSData(data: Data([1])), .data(Data([1]))), (uuid as NSUUID, .uuid(uuid)),
            (NSArray(array: [1, "x"]), .array([.int(1), .string("x")])),
            (NSDictionary(dictionary: ["a": 1]), .dictionary(["a": .int(1)])),
        ]
        for (any, expected) in cases { #expect(try DataStoreValue(any) == expected) }
    }

    @Test func numbersFromJSON() throws {
        let text = "[true, false, 0, 1, 5, 5.0, 5.5, 1e3, -7, 9223372036854775807]"
        let json = try JSONSerialization.jsonObject(with: Data(text.utf8))
        #expect(
            try DataStoreValue(json)
                == .array([
                    .bool(true), .bool(false), .int(0), .int(1), .int(5), .double(5), .double(5.5),
                    .double(1000), .int(-7), .int(.max),
                ]))
        let beyond = try JSONSerialization.jsonObject(with: Data("[18446744073709551616]".utf8))
        let value = try DataStoreValue(beyond)
        #expect(value.isEqual(to: .array([.double(0x1p64)])))
    }

    @Test func refusedTypesAreNamed() throws {
        struct Point {}
        let cases: [(Any, String)] = [
            (Set([1]), "Set<Int>"), (Point(), "Point"), (UInt64.max, "18446744073709551615"),
            (NSNumber(value: UInt64.max), "18446744073709551615"), ([1: 2], "Dictionary<Int, Int>"),
            ([["a": Point()]], "Point"), (NSObject(), "NSObject"),
        ]
        for (any, name) in cases {
            let error = #expect(throws: DataStoreError.self) { try DataStoreValue(any) }
            #expect(error?.code == .unsupportedValue)
            #expect(error?.message.contains(name) == true)
        }
    }

    @Test func nestingHasALimit() throws {
        func nested(_ depth: Int) -> Any { (0..<depth).reduce(1 as Any) { value, _ in [value] } }
        #expect(try DataStoreValue(nested(DataStoreValue.depthLimit)).kind == .array)
        let error = #expect(throws: DataStoreError.self) { try DataStoreValue(nested(1000)) }
        #expect(error?.code == .limitExceeded)
    }

    @Test func everyValueComesBackFromAny() throws {
        var random = RandomValues()
        for _ in 0..<2000 {
            let value = random.value()
            #expect(try DataStoreValue(value.any) == value, "seed \(random.generator.seed)")
        }
        #expect(DataStoreValue.int(5).any is Int)
    }

    @Test func everyValueComesBackFromJSON() throws {
        var random = RandomValues()
        let values = (0..<2000).map { _ in random.value() }
        let copy = try JSONDecoder().decode(
            [DataStoreValue].self, from: JSONEncoder().encode(values))
        #expect(copy == values, "seed \(random.generator.seed)")
    }

    @Test func relativeURLsKeepTheirBase() throws {
        let url = try #require(URL(string: "b", relativeTo: URL(string: "http://a.b/c/")))
        let data = try JSONEncoder().encode([DataStoreValue.url(url)])
        #expect(try JSONDecoder().decode([DataStoreValue].self, from: data) == [.url(url)])
    }

    @Test(arguments: [
        "{}", #"{"int": 1, "bool": true}"#, #"{"int": "x"}"#, #"{"decimal": "1x"}"#,
        #"{"decimal": "1-2"}"#, #"{"double": "0xzz"}"#, #"{"uuid": "no"}"#, #"{"data": "*"}"#,
        #"{"url": []}"#, #"{"float": 1}"#, "5",
    ])
    func damagedJSONIsAnError(_ text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(DataStoreValue.self, from: Data(text.utf8))
        }
    }
}
