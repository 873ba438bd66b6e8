import Foundation
import JustPersist

struct Leaf: Codable, Equatable {
    var flag: Bool
    var small: Int8
    var big: UInt64
    var ratio: Double
    var half: Float
    var text: String
    var date: Date
    var data: Data
    var uuid: UUID
    var decimal: Decimal
    var url: URL
    var id: ItemID
    var reference: ItemReference
    var any: DataStoreValue
    var none: Int?

    struct Pair: Codable, Equatable {
        var a: Int?
    }
}

struct Tree: Codable, Equatable {
    var name: String
    var children: [Tree]
    var parent: [Tree]?
}

struct Number: Codable, Equatable {
    var value: UInt64
}

struct Empty: Codable, Equatable {}

enum Key: String, Codable, CodingKeyRepresentable {
    case first
}

enum Choice: Codable, Equatable {
    case plain
    case pair(Int, b: String)
    indirect case nested(Choice)
}

/// A wrapper that is encoded as the wrapped value.
struct Wrapper<Value: Codable & Equatable>: Codable, Equatable {
    var value: Value

    init(_ value: Value) { self.value = value }

    init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(Value.self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

/// A type that uses every kind of nested container.
struct ByHand: Codable, Equatable {
    var numbers: [[Int]]
    var names: [String: [String: Double]]
    var last: String?

    init(numbers: [[Int]], names: [String: [String: Double]], last: String?) {
        self.numbers = numbers
        self.names = names
        self.last = last
    }

    private enum CodingKeys: CodingKey { case numbers, names, last }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        var rows = try container.nestedUnkeyedContainer(forKey: .numbers)
        numbers = []
        while !rows.isAtEnd {
            var row = try rows.nestedUnkeyedContainer()
            var values: [Int] = []
            while !row.isAtEnd { values.append(try row.decode(Int.self)) }
            numbers.append(values)
        }
        let groups = try container.nestedContainer(keyedBy: AnyKey.self, forKey: .names)
        names = [:]
        for key in groups.allKeys {
            let group = try groups.nestedContainer(keyedBy: AnyKey.self, forKey: key)
            names[key.stringValue] = [:]
            for inner in group.allKeys {
                names[key.stringValue]?[inner.stringValue] =
                    try group.decode(Double.self, forKey: inner)
            }
        }
        last =
            try container.decodeNil(forKey: .last)
            ? nil : container.decode(String.self, forKey: .last)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        var rows = container.nestedUnkeyedContainer(forKey: .numbers)
        for numbers in numbers {
            var row = rows.nestedUnkeyedContainer()
            for number in numbers { try row.encode(number) }
        }
        var groups = container.nestedContainer(keyedBy: AnyKey.self, forKey: .names)
        for (name, values) in names {
            var group = groups.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey(name))
            for (key, value) in values { try group.encode(value, forKey: AnyKey(key)) }
        }
        if let last {
            try container.encode(last, forKey: .last)
        } else {
            try container.encodeNil(forKey: .last)
        }
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(_ name: String) { stringValue = name }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

class Base: Codable {
    var base: Int

    init(base: Int) { self.base = base }
}

final class Derived: Base {
    var derived: String
    var useSuperEncoder: Bool

    init(base: Int, derived: String, useSuperEncoder: Bool) {
        self.derived = derived
        self.useSuperEncoder = useSuperEncoder
        super.init(base: base)
    }

    private enum CodingKeys: CodingKey { case derived, useSuperEncoder }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        derived = try container.decode(String.self, forKey: .derived)
        useSuperEncoder = try container.decode(Bool.self, forKey: .useSuperEncoder)
        try super.init(from: useSuperEncoder ? container.superDecoder() : decoder)
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(derived, forKey: .derived)
        try container.encode(useSuperEncoder, forKey: .useSuperEncoder)
        try super.encode(to: useSuperEncoder ? container.superEncoder() : encoder)
    }
}

/// A type that breaks the rules of `Encodable`.
struct Inconsistent: Codable {
    enum Way: String, Codable { case twoContainers, twoValues, nothing, itself }

    var way: Way

    func encode(to encoder: any Encoder) throws {
        var single = encoder.singleValueContainer()
        switch way {
        case .twoContainers:
            var keyed = encoder.container(keyedBy: CodingKeys.self)
            try keyed.encode(way, forKey: .way)
            var unkeyed = encoder.unkeyedContainer()
            try unkeyed.encode(1)
        case .twoValues:
            try single.encode(1)
            try single.encode(2)
        case .nothing: break
        case .itself: try single.encode(self)
        }
    }

    private enum CodingKeys: CodingKey { case way }
}
