/// The keys of a store's types by their numbers: what references are stored with.
struct TypeNames: Sendable {
    private var keys: [UInt32: String] = [:]

    /// The key of the type with that number; `nil` if the store has none.
    func key(of number: UInt32) -> String? { keys[number] }

    /// The number of the type with that key; `nil` if the store has none.
    func number(of key: String) -> UInt32? { numbers[key] }

    private var numbers: [String: UInt32] = [:]

    /// Gives a type its key; one that it had before goes on leading to it.
    mutating func set(_ key: String, for number: UInt32) {
        keys[number] = key
        numbers[key] = number
    }

    /// Notes a key that a type had before.
    mutating func addFormer(_ key: String, of number: UInt32) {
        if numbers[key] == nil { numbers[key] = number }
    }
}
