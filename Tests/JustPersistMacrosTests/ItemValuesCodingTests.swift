public import Foundation
public import JustPersistMacros
import Testing

/// The structs that the macro makes, and their JSON.
@Suite struct ItemValuesCodingTests {
    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func decoded<Value: Decodable>(
        _ type: Value.Type, _ json: String, fillingInDefaults: Bool = false
    ) throws -> Value {
        let decoder = JSONDecoder()
        if fillingInDefaults { decoder.userInfo[.fillsInDefaults] = true }
        return try decoder.decode(type, from: Data(json.utf8))
    }

    /// The attribute that decoding says is missing, and how.
    private func missing<Value: Decodable>(
        _ type: Value.Type, _ json: String
    ) throws -> String? {
        do {
            _ = try decoded(type, json)
            return nil
        } catch DecodingError.keyNotFound(let key, let context) {
            #expect(context.debugDescription.contains("“\(key.stringValue)”"))
            return key.stringValue + " is absent"
        } catch DecodingError.valueNotFound(_, let context) {
            return (context.codingPath.last?.stringValue ?? "?") + " is null"
        }
    }

    @Test func absentAttributesSilentlyBecomeDefaults() throws {
        #expect(try missing(Restaurant.Values.self, #"{"permit":"1"}"#) == "stars is absent")
        #expect(
            try missing(Restaurant.Values.self, #"{"permitt":"1","stars":1}"#)
                == "permit is absent")
        #expect(
            try missing(Restaurant.Values.self, #"{"permit":"1","stars":null}"#)
                == "stars is null")
        let full = try decoded(Restaurant.Values.self, #"{"permit":"1","stars":1}"#)
        #expect(full == Restaurant.Values(id: full.id, permit: "1", stars: 1))
        #expect(
            try missing([Restaurant.Values].self, #"[{"permit":"1","stars":1},{"permit":"1"}]"#)
                == "stars is absent")
        // One that can be null keeps it, under whatever name of its type.
        var dish = Dish.Values(uniqueToken: ItemID())
        dish.extra = .null
        dish.note = nil
        #expect(try decoded(Dish.Values.self, json(dish)) == dish)
    }

    @Test func keysAreTheNamesOfAttributesAndID() throws {
        let values = Restaurant.Values(permit: "1", name: "Thai", stars: 4)
        #expect(
            try json(values) == #"{"id":"\#(values.id)","name":"Thai","permit":"1","stars":4}"#)
        #expect(try decoded(Restaurant.Values.self, json(values)) == values)
    }

    @Test func whatIsAbsentHasItsDefaultIfTheDecoderFillsItIn() throws {
        let empty = try decoded(Restaurant.Values.self, "{}", fillingInDefaults: true)
        #expect(empty == Restaurant.Values(id: empty.id))
        let other = try decoded(Restaurant.Values.self, "{}", fillingInDefaults: true)
        #expect(empty.id != other.id)
        let named = try decoded(
            Restaurant.Values.self, #"{"name":null,"stars":null,"id":null,"unknown":1}"#,
            fillingInDefaults: true)
        #expect(named.name == nil && named.stars == 0)
        #expect(throws: DecodingError.self) {
            try decoded(Restaurant.Values.self, #"{"stars":"many"}"#, fillingInDefaults: true)
        }
    }

    @Test func nilAndAbsentDifferWhereThereIsADefault() throws {
        let dish = Dish.Values(uniqueToken: ItemID())
        #expect(dish.motto == "Eat")
        #expect(try decoded(Dish.Values.self, "{}", fillingInDefaults: true).motto == "Eat")
        let mute = try decoded(Dish.Values.self, #"{"motto":null}"#, fillingInDefaults: true)
        #expect(mute.motto == nil)
        var silent = dish
        silent.motto = nil
        #expect(try json(silent).contains(#""motto":null"#))
        #expect(try decoded(Dish.Values.self, json(silent)) == silent)
    }

    @Test func everyKindOfAttributeComesBack() throws {
        let address = Address(street: "Main", built: Date(timeIntervalSince1970: 0.5))
        var values = Dish.Values(title: "Pie", isHot: false)
        values.price = 3.5
        values.default = -4
        values.photo = Data([1, 0])
        values.link = URL(string: "http://a.example/b?c")
        values.chef = ItemReference(itemTypeKey: "Chef", id: ItemID())
        values.origin = ItemID()
        values.extra = .array([.null, .int(1)])
        values.rating = .poor
        values.ratings = [.fine]
        values.size = .large
        values.address = address
        values.places = [address]
        values.counts = ["": [nil, 1]]
        values.course = .dessert
        let copy = try decoded(Dish.Values.self, json(values))
        #expect(copy == values && copy.hashValue == values.hashValue)
        #expect(copy.address == address && copy.rating == .poor && copy.course == .dessert)
        values.places[0].street = "Side"
        #expect(copy != values)

        let dish = Dish()
        try dish.update(from: copy)
        #expect(Dish.Values(dish).places == copy.places && dish.title == "Pie")
        #expect(Dish.Values(dish).id == copy.id && dish.uniqueToken != copy.uniqueToken)
    }

    @Test func attributesNamedIDAndValues() throws {
        let id = UUID()
        let booking = Booking.Values(id: id, reference: "AB12")
        #expect(booking.id == id)
        #expect(
            try json(booking)
                == #"{"id":"\#(id)","reference":"AB12","uniqueToken":"\#(booking.uniqueToken)"}"#)
        #expect(try decoded(Booking.Values.self, json(booking)) == booking)
        func identity(_ values: some ItemValues) -> ItemID { values.id }
        #expect(identity(booking) == booking.uniqueToken)

        let odd = Odd()
        odd.values = [1]
        #expect(odd.values == [1])
        #expect(Odd.Values(odd).values == [1])
    }

    @Test func aClassMayHaveATypeOfThatNameItself() throws {
        let own = OwnValues()
        own.current = OwnValues.Values(number: 3)
        #expect(own.current?.number == 3)
        let foreign = ForeignValues()
        foreign.current = JustPersistMacrosTests.Values(number: 4)
        #expect(ForeignValues.Values(foreign).current?.number == 4)
    }

    @Test func aTypeThatIsNotSendableIsKeptEncoded() throws {
        var values = Holder.Values(box: Box(2))
        let copy = values
        #expect(values == copy && values.box.number == 2 && values.box !== values.box)
        values.box = Box(3)
        #expect(values != copy && values.box.number == 3)
        func send(_ value: some Sendable & Hashable) {}
        send(values)
        #expect(try decoded(Holder.Values.self, json(values)) == values)
    }

    @Test func defaultsNeedNotBePublic() {
        #expect(Booth.Values().width == 3)
        #expect(Booth.Values(width: 4).width == 4)
        #expect(Booth.Values(width: 4, hidden: 5).hidden == 5)
        #expect(Frame.Values().width == 3)
        #expect(Nothing.Values().id != Nothing.Values(id: ItemID()).id)
    }
}

@Item final class Odd {
    var values: [Int] = []
    var item: String?
    var decoder: Int = 0
    var _item: Course?

    enum Course: String, Codable { case main }
}

@Item final class OwnValues {
    struct Values: Codable { var number = 0 }
    var current: Values?
}

struct Values: Codable { var number = 0 }

@Item final class ForeignValues {
    var current: JustPersistMacrosTests.Values?
}

/// Codable, and neither Hashable nor Sendable.
final class Box: Codable {
    var number: Int
    init(_ number: Int) { self.number = number }
}

@Item final class Holder {
    var box: Box = Box(1)
    var boxes: [Box]?
}

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@Item public final class Booth {
    static let standard = 3
    public var width: Int = Self.standard
    var hidden: Int = Booth.standard
    public var opened: Date = .now
    public var tags: [String] = ["a"]
}
