import Foundation
import JustPersist

extension Date {
    /// The date that the content of a `{"$date": …}` stands for; `nil` if for none.
    ///
    /// Milliseconds since 1970 as a number or as `{"$numberLong": "…"}`, or ISO 8601 text with a time
    /// zone, with or without fractions of a second.
    init?(json content: DataStoreValue) {
        switch content {
        case .int(let milliseconds): self.init(milliseconds: Double(milliseconds))
        case .double(let milliseconds): self.init(milliseconds: milliseconds)
        case .string(let text):
            let styles = [true, false].map {
                Date.ISO8601FormatStyle(includingFractionalSeconds: $0)
            }
            guard let date = styles.lazy.compactMap({ try? $0.parse(text) }).first else {
                return nil
            }
            self = date
        case .dictionary(let entries):
            guard entries.count == 1, case .string(let text)? = entries["$numberLong"],
                let milliseconds = Int64(text)
            else { return nil }
            self.init(milliseconds: Double(milliseconds))
        default: return nil
        }
    }

    private init(milliseconds: Double) { self.init(timeIntervalSince1970: milliseconds / 1000) }

    /// Milliseconds since 1970: the whole number that gives this very date back, if there is one.
    var milliseconds: Double {
        let milliseconds = timeIntervalSince1970 * 1000
        let whole = milliseconds.rounded()
        return Date(milliseconds: whole) == self ? whole : milliseconds
    }
}
