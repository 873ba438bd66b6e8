import Foundation
import JustPersist
import Testing

@Suite struct DataStoreValueDescriptionTests {
    @Test func aPrintedRowShowsTheNamesOfItsValuesCases() {
        let row = DataStoreRow(
            columns: ["cuisine", "count", "average.stars", "borough"],
            values: [.string("Thai"), .int(3), .double(4.5), .null])
        #expect("\(row)" == #"cuisine: "Thai", count: 3, average.stars: 4.5, borough: nil"#)
        #expect("\([row])" == #"[cuisine: "Thai", count: 3, average.stars: 4.5, borough: nil]"#)
    }

    @Test func aPrintedValueShowsTheNameOfItsCase() throws {
        let id = try #require(ItemID("018f3c2a-0000-7000-8000-000000000001"))
        let values: [(DataStoreValue, String)] = [
            (.null, "nil"), (.bool(true), "true"), (.int(-3), "-3"), (.double(4), "4.0"),
            (.double(.nan), "nan"), (.decimal(Decimal(string: "1.50") ?? 0), "1.5"),
            (.string("a \"b\"\n\u{202e}"), #""a \"b\"\n\u{202e}""#),
            (.date(Date(timeIntervalSince1970: 1_767_355_200)), "2026-01-02T12:00:00.000Z"),
            (.data(Data([1, 2])), "2 bytes"), (.data(Data([1])), "1 byte"),
            (.uuid(id.uuid), "018f3c2a-0000-7000-8000-000000000001"),
            (.reference(ItemReference(itemTypeKey: "Dish", id: id)), "Dish \(id)"),
            (.array([.string("a"), .array([])]), #"["a", []]"#),
            (.dictionary(["b": .int(2), "a": .null]), #"["a": nil, "b": 2]"#),
            (.dictionary([:]), "[:]"),
        ]
        for (value, text) in values {
            #expect("\(value)" == text)
            #expect(
                String(reflecting: value) == (value.isNull ? "null" : "\(value.kind)(\(text))"))
        }
        let url = try #require(URL(string: "https://a.b/c"))
        #expect("\(DataStoreValue.url(url))" == "https://a.b/c")
    }

    /// Foundation's own text of such a date traps.
    @Test(arguments: [Double.infinity, -.infinity, .nan, 1e300, 6e10])
    func aDateBeyondTheCalendarIsPrinted(_ seconds: Double) {
        let value = DataStoreValue.date(Date(timeIntervalSinceReferenceDate: seconds))
        #expect("\(value)" == "\(seconds) s since 2001")
    }
}
