import Foundation
import JustPersist

extension DataStoreValue {
    /// The value of a JSON number that is not a whole number of 64 bits; `nil` if no kind can represent it.
    ///
    /// It is a Double if the shortest text of that Double is the number, else a Decimal if 38 digits hold the number,
    /// else the nearest Double.
    init?(jsonNumber text: String) {
        guard let double = Double(text) else { return nil }
        let significand = text.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }
        let digits = significand.drop { $0 < UInt8(ascii: "1") }.count { $0 > UInt8(ascii: "/") }
        // Every number of up to 15 digits is preserved by its Double, unless the exponent is extreme.
        if digits <= 15 && (double.isNormal || digits == 0) || double.description == text {
            self = .double(double)
            return
        }
        let exact = digits <= 38 ? Decimal(string: text) : nil
        if let exact, exact.isFinite {
            let shortest = double.isFinite ? Decimal(string: double.description) : nil
            self = shortest == exact ? .double(double) : .decimal(exact)
        } else if double.isFinite {
            self = .double(double)
        } else {
            return nil
        }
    }
}
