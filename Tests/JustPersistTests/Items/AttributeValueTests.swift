import Foundation
import JustPersist
import Testing

@Suite struct AttributeValueTests {
    /// Sets the value, and gives what is stored and what comes back.
    private func trip<Value: AttributeValue>(_ value: Value) throws -> (DataStoreValue, Value) {
        let item = Meal()
        item.setAttribute(value, at: 7)
        let stored = try item.storedValue(forKeyPath: "any")
        #expect(Value.attributeKind == nil || Value.attributeKind == stored.kind)
        return (stored, try #require(item.optionalAttribute(at: 7)))
    }

    private func expectTrip<Value: AttributeValue & Equatable>(
        _ value: Value, as expected: DataStoreValue, line: Int = #line
    ) throws {
        let (stored, back) = try trip(value)
        #expect(stored == expected, "line \(line)")
        #expect(back == value, "line \(line)")
    }

    @Test func everyTypeKeepsItsKindAndItsBits() throws {
        let date = Date(timeIntervalSinceReferenceDate: 0.1 + 0.2)
        let uuid = UUID()
        let id = ItemID()
        let url = try #require(URL(string: "http://a.example/ä?b#c"))
        let reference = ItemReference(itemTypeKey: "A", id: id)
        try expectTrip(true, as: .bool(true))
        try expectTrip(Int.min, as: .int(.min))
        try expectTrip(Int8.min, as: .int(-128))
        try expectTrip(UInt8.max, as: .int(255))
        try expectTrip(Int16.min, as: .int(-32768))
        try expectTrip(UInt16.max, as: .int(65535))
        try expectTrip(Int32.min, as: .int(-2_147_483_648))
        try expectTrip(UInt32.max, as: .int(4_294_967_295))
        try expectTrip(Int64.max, as: .int(.max))
        try expectTrip(UInt64(Int64.max), as: .int(.max))
        try expectTrip(UInt(3), as: .int(3))
        try expectTrip(Int128(-3), as: .int(-3))
        try expectTrip(UInt128(3), as: .int(3))
        try expectTrip(0.1, as: .double(0.1))
        try expectTrip(Float(0.1), as: .double(Double(Float(0.1))))
        try expectTrip("e\u{301}\0", as: .string("e\u{301}\0"))
        try expectTrip(date, as: .date(date))
        try expectTrip(Data([0, 255]), as: .data(Data([0, 255])))
        try expectTrip(uuid, as: .uuid(uuid))
        try expectTrip(Decimal(1) / 3, as: .decimal(Decimal(1) / 3))
        try expectTrip(url, as: .url(url))
        try expectTrip(reference, as: .reference(reference))
        try expectTrip(id, as: .uuid(id.uuid))
        try expectTrip(DataStoreValue.array([.null]), as: .array([.null]))
    }

    @Test func collectionsKeepWhatIsInThem() throws {
        try expectTrip([Int](), as: .array([]))
        try expectTrip([1, nil, 3], as: .array([.int(1), .null, .int(3)]))
        try expectTrip(
            ["": [true], "a.b": []],
            as: .dictionary(["": .array([.bool(true)]), "a.b": .array([])]))
        try expectTrip(
            ["a": Date?.none, "b": Date(timeIntervalSinceReferenceDate: 1)],
            as: .dictionary(["a": .null, "b": .date(Date(timeIntervalSinceReferenceDate: 1))]))
    }

    @Test func numbersKeepSignOfZeroAndNaN() throws {
        #expect(try trip(-0.0).1.sign == .minus)
        #expect(try trip(-Float.zero).1.sign == .minus)
        #expect(try trip(Double.nan).1.isNaN)
        #expect(try trip(Float.nan).1.isNaN)
        try expectTrip(-Double.infinity, as: .double(-.infinity))
        try expectTrip(Float.infinity, as: .double(.infinity))
    }

    @Test func numbersReadAcrossKindsOnlyIfNothingIsLost() {
        #expect(Int(DataStoreValue.double(3)) == 3)
        #expect(Int(DataStoreValue.double(2.5)) == nil)
        #expect(Int(DataStoreValue.double(.nan)) == nil)
        #expect(Int(DataStoreValue.double(9.3e18)) == nil)
        #expect(UInt8(DataStoreValue.double(256)) == nil)
        #expect(Double(DataStoreValue.int(3)) == 3)
        #expect(Double(DataStoreValue.int(1 << 54)) == 0x1p54)
        #expect(Double(DataStoreValue.int((1 << 53) + 1)) == nil)
        #expect(Float(DataStoreValue.double(0.1)) == nil)
        #expect(Float(DataStoreValue.int(16_777_217)) == nil)
        #expect(Decimal(DataStoreValue.int(.min)) == Decimal(Int64.min))
        #expect(Decimal(DataStoreValue.double(0.5)) == nil)
        #expect(Bool(DataStoreValue.int(1)) == nil)
        #expect(Int(DataStoreValue.bool(true)) == nil)
        #expect(Int(DataStoreValue.decimal(1)) == nil)
    }

    @Test func otherKindsAreKeptApart() {
        let uuid = UUID()
        #expect(String(DataStoreValue.uuid(uuid)) == nil)
        #expect(UUID(DataStoreValue.string(uuid.uuidString)) == nil)
        #expect(URL(DataStoreValue.string("http://a.example")) == nil)
        #expect(Date(DataStoreValue.double(0)) == nil)
        #expect(Data(DataStoreValue.string("")) == nil)
        #expect(ItemReference(DataStoreValue.uuid(uuid)) == nil)
        #expect([Int](DataStoreValue.array([.int(1), .string("2")])) == nil)
        #expect([Int](DataStoreValue.array([.null])) == nil)
        #expect([String: Int](DataStoreValue.dictionary(["a": .bool(true)])) == nil)
        #expect([Int](DataStoreValue.dictionary([:])) == nil)
    }

    @Test func wholeNumbersBeyond64BitsAreRefused() {
        func code(_ value: some AttributeValue) -> DataStoreError.Code? {
            do throws(DataStoreError) {
                _ = try value.storedValue()
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code(UInt64.max) == .unsupportedValue)
        #expect(code(UInt(Int64.max) + 1) == .unsupportedValue)
        #expect(code(Int128(Int64.min) - 1) == .unsupportedValue)
        #expect(code([1, UInt64.max]) == .unsupportedValue)
        #expect(code(["a": UInt64.max]) == .unsupportedValue)
        #expect(code(UInt64(Int64.max)) == nil)
    }
}
