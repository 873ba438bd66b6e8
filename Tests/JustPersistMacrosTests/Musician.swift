import JustPersistMacros

/// An item class that could be stored as a dictionary, and is a relationship nevertheless.
@Item final class Musician: Codable {
    var name: String = ""
    var teacher: Musician?
    @Attribute(originalName: "group") var band: Band?
    var age: Int = 20

    convenience init(from decoder: any Decoder) throws {
        self.init()
        name = try decoder.singleValueContainer().decode(String.self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}
