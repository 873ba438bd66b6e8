extension String {
    /// Whether a text that begins as `2026-03-01T12:00:00` names a day of the calendar and a time of that day.
    ///
    /// Foundation counts on from a day or an hour that does not exist: it reads the 30th of February as the 2nd of March.
    package var isOnCalendar: Bool {
        let bytes = utf8.prefix(19).map { Int($0) - 0x30 }
        func number(_ places: ClosedRange<Int>) -> Int? {
            guard bytes.count > places.upperBound, bytes[places].allSatisfy((0...9).contains)
            else { return nil }
            return bytes[places].reduce(0) { $0 * 10 + $1 }
        }
        guard let year = number(0...3), let month = number(5...6), let day = number(8...9),
            let hour = number(11...12), let minute = number(14...15), (1...12).contains(month)
        else { return false }
        let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let days = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
        // A leap second is the sixtieth.
        return (1...days).contains(day) && hour < 24 && minute < 60 && number(17...18) ?? 0 <= 60
    }
}
