import Foundation
import JustPersist

extension Date {
    /// The key for seconds since 2001, used if milliseconds since 1970 are not exact.
    static let secondsKey = "$secondsSince2001"

    /// The date in the content of a `{"$date": …}`; `nil` if it is not a date.
    ///
    /// The content is milliseconds since 1970 as a number or as `{"$numberLong": "…"}`, `{"$secondsSince2001": …}`, or
    /// ISO 8601 text with a time zone, with or without fractions of a second.
    init?(json content: DataStoreValue) {
        switch content {
        case .int(let milliseconds): self.init(milliseconds: Double(milliseconds))
        case .double(let milliseconds): self.init(milliseconds: milliseconds)
        case .string(let text): self.init(iso8601: text)
        case .dictionary(let entries):
            guard entries.count == 1, let (key, value) = entries.first else { return nil }
            switch (key, value) {
            case ("$numberLong", .string(let text)):
                guard let milliseconds = Int64(text) else { return nil }
                self.init(milliseconds: Double(milliseconds))
            case (Self.secondsKey, .double(let seconds)):
                self.init(timeIntervalSinceReferenceDate: seconds)
            default: return nil
            }
        default: return nil
        }
    }

    /// The point in time in ISO 8601, with milliseconds; `nil` if that is not exact, or the year does not have four
    /// digits.
    var exactISO8601: String? {
        guard let milliseconds = wholeMilliseconds, milliseconds.magnitude < 60_000_000_000_000
        else {
            return nil
        }
        let (seconds, part) = milliseconds.flooredQuotientAndRemainder(dividingBy: 1000)
        let whole = Date(timeIntervalSince1970: Double(seconds)).formatted(Self.style)
        let text = "\(whole.dropLast()).\(String(1000 + part).dropFirst())Z"
        return Date(iso8601: text)?.isIdentical(to: self) == true ? text : nil
    }

    /// Milliseconds since 1970, if a whole number of them preserves every bit of this date.
    var wholeMilliseconds: Int64? {
        let whole = (timeIntervalSince1970 * 1000).rounded()
        guard let milliseconds = Int64(exactly: whole),
            Date(milliseconds: whole).isIdentical(to: self)
        else { return nil }
        return milliseconds
    }

    private static let style = Date.ISO8601FormatStyle()

    private init(milliseconds: Double) { self.init(timeIntervalSince1970: milliseconds / 1000) }

    private func isIdentical(to other: Date) -> Bool {
        timeIntervalSinceReferenceDate.bitPattern
            == other.timeIntervalSinceReferenceDate.bitPattern
    }
}

extension Int64 {
    /// The quotient rounded down, and the remainder, which is not negative.
    fileprivate func flooredQuotientAndRemainder(dividingBy divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
