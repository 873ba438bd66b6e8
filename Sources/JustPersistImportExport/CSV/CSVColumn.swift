import Foundation
import JustPersist

/// A column of a CSV file, and the kinds of its cells.
struct CSVColumn {
    /// The attribute's name.
    let name: String
    let kinds: Set<DataStoreValue.Kind>

    /// The value of a cell; `nil` if it cannot be read as any of the kinds.
    func value(_ cell: String?) -> DataStoreValue? {
        guard let cell else { return .null }
        if let value = DataStoreValue(cell: cell, kinds: kinds) { return value }
        // Some programs put all cells in quotes.
        return cell.isEmpty ? .null : nil
    }
}

/// The kinds that all cells of a column can be read as.
struct CSVInference {
    private var canBeBool = true
    private var canBeInt = true
    private var canBeDouble = true
    private var canBeDate = true
    private var isEmpty = true
    /// Whether a cell has the form of a number with a fraction.
    private var hasFraction = false
    /// Whether a cell is `nan`, `inf` or the like, which may be words.
    private var hasNonFinite = false

    /// Takes a cell into account.
    mutating func add(_ cell: String?) {
        guard let cell, !cell.isEmpty else { return }
        isEmpty = false
        guard canBeBool || canBeInt || canBeDouble || canBeDate else { return }
        if canBeBool { canBeBool = cell == "true" || cell == "false" }
        if canBeInt || canBeDouble {
            if Self.isNonFinite(cell) {
                hasNonFinite = true
                canBeInt = false
            } else {
                let number = Self.number(cell)
                hasFraction = hasFraction || number.isDouble && !number.isInt
                canBeInt = canBeInt && number.isInt
                canBeDouble = canBeDouble && number.isDouble
            }
        }
        if canBeDate { canBeDate = Date(momentCell: cell) != nil }
    }

    /// The kind to read the cells as, given the kinds of the attribute's values in the store.
    func kind(storedKinds: Set<DataStoreValue.Kind>) -> DataStoreValue.Kind {
        let stored = storedKinds.subtracting([.null])
        if isEmpty || stored == [.string] { return .string }
        if canBeBool { return .bool }
        if canBeInt, stored != [.double] || !canBeDouble {
            return stored == [.decimal] ? .decimal : .int
        }
        if canBeDouble, !hasNonFinite || hasFraction || stored == [.double] {
            return stored == [.decimal] && !hasNonFinite ? .decimal : .double
        }
        return canBeDate ? .date : .string
    }

    /// Whether a text is an export's notation of a Double that is NaN or infinite.
    private static func isNonFinite(_ text: String) -> Bool {
        if ["nan", "inf", "-inf"].contains(text) { return true }
        return text.hasPrefix("0x") && Double(cell: text) != nil
    }

    /// Whether a text is the usual notation of a number, which the kind preserves.
    ///
    /// A text with a leading zero or a plus sign is a code, and one with too many digits exceeds the kind.
    private static func number(_ text: String) -> (isInt: Bool, isDouble: Bool) {
        let bytes = Array(text.utf8)
        guard let last = bytes.last, (0x30...0x39).contains(last),
            bytes[0] == UInt8(ascii: "-") || (0x30...0x39).contains(bytes[0])
        else { return (false, false) }
        var parser = JSONParser(bytes, bytes.indices)
        guard let value = try? parser.scalar(), parser.position == bytes.count else {
            return (false, false)
        }
        switch value {
        case .int(let value):
            if text == "-0" { return (false, false) }
            return (true, Int64(exactly: Double(value)) == value)
        case .double: return (false, bytes.contains { $0 == 0x2e || $0 | 0x20 == 0x65 })
        default: return (false, false)
        }
    }
}
