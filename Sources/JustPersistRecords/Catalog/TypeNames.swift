/// The keys of a store's types by their numbers, with which references are stored.
///
/// A key may have several numbers: the number of a declared type, numbers from the time when items only referred to the
/// key, and the numbers of types that were merged into the declared one.
struct TypeNames: Sendable {
    private var keys: [UInt32: String] = [:]
    private var numbers: [String: UInt32] = [:]
    private var usesDigits = false

    /// Names that are the numbers in decimal digits.
    static let digits = {
        var names = TypeNames()
        names.usesDigits = true
        return names
    }()

    /// The latest key of the type with that number; `nil` if there is no such type.
    func key(of number: UInt32) -> String? {
        if usesDigits { return "\(number)" }
        guard let key = keys[number] else { return nil }
        guard let declared = numbers[key], declared != number else { return key }
        return keys[declared]
    }

    /// The number of the type with that key, which may be a former key; `nil` if there is none.
    func number(of key: String) -> UInt32? { usesDigits ? UInt32(key) : numbers[key] }

    /// Notes the key of a declared type.
    mutating func set(_ key: String, for number: UInt32) {
        keys[number] = key
        numbers[key] = number
    }

    /// Notes the key of an undeclared or unreadable type, which has no former keys.
    ///
    /// Any other type with the key takes precedence.
    mutating func note(_ key: String, for number: UInt32) {
        // Only a number that had a key can have others.
        if keys.updateValue(key, forKey: number) != nil {
            numbers = numbers.filter { $0.value != number || $0.key == key }
        }
        if numbers[key] == nil { numbers[key] = number }
    }

    /// Notes a key that a declared type had before.
    mutating func setFormer(_ key: String, of number: UInt32) { numbers[key] = number }
}
