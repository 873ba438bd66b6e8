package import Foundation

extension Date {
    /// The point in time of a whole text in ISO 8601 with a time zone, `2026-03-01T12:00:00Z`, with or without fractions of a
    /// second; `nil` for any other text.
    package init?(iso8601 text: String) {
        // This is checked first, because Foundation's parser is slow.
        guard text.utf8.dropFirst(10).first == UInt8(ascii: "T"), text.isOnCalendar else {
            return nil
        }
        var whole = text
        var fraction: Substring = ""
        if let point = text.firstIndex(of: ".") {
            fraction = text[text.index(after: point)...].prefix { $0.isASCII && $0.isNumber }
            // It follows the seconds.
            if fraction.isEmpty || text.utf8.distance(from: text.startIndex, to: point) != 19 {
                return nil
            }
            whole = String(text[..<point] + text[fraction.endIndex...])
        }
        let all = whole.startIndex..<whole.endIndex
        // `parse(_:)` would accept a text that only begins with a date.
        guard
            let (end, date) = try? Self.style.consuming(whole, startingAt: all.lowerBound, in: all),
            end == all.upperBound
        else { return nil }
        // The fraction is added separately, because with it the style does not return the nearest date.
        if fraction.count <= 3, let part = Double((fraction + "000").prefix(3)) {
            self.init(timeIntervalSince1970: (date.timeIntervalSince1970 * 1000 + part) / 1000)
        } else {
            self = date.addingTimeInterval(Double("0." + fraction) ?? 0)
        }
    }

    /// The beginning of a day in UTC, `2026-03-01`; `nil` for any other text.
    package init?(iso8601Day text: String) {
        guard text.utf8.count == 10 else { return nil }
        self.init(iso8601: text + "T00:00:00Z")
    }

    private static let style = Date.ISO8601FormatStyle()
}

extension String {
    /// Whether a text that begins as `2026-03-01T12:00` names a day of the calendar and a time of that day.
    ///
    /// Foundation counts on from a day or an hour that does not exist: it reads the 30th of February as the 2nd of March.
    fileprivate var isOnCalendar: Bool {
        let bytes = utf8.prefix(19).map { Int($0) - 0x30 }
        func number(_ places: ClosedRange<Int>) -> Int? {
            guard bytes.count > places.upperBound, bytes[places].allSatisfy((0...9).contains)
            else { return nil }
            return bytes[places].reduce(0) { $0 * 10 + $1 }
        }
        guard let year = number(0...3), let month = number(5...6), let day = number(8...9),
            let hour = number(11...12), let minute = number(14...15), (1...12).contains(month)
        else { return false }
        // Foundation's calendar is the Julian one until 1582-10-04, and then the Gregorian one from 1582-10-15.
        let isLeapYear = year % 4 == 0 && (year < 1583 || year % 100 != 0 || year % 400 == 0)
        let days = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
        if (year, month) == (1582, 10), (5...14).contains(day) { return false }
        // A leap second is the sixtieth.
        return (1...days).contains(day) && hour < 24 && minute < 60 && number(17...18) ?? 0 <= 60
    }
}
