import Foundation
import JustPersist

/// Evaluates the operands of a comparison, with a direct implementation of each expression.
enum ReferenceExpression {
    typealias Subject = ReferencePredicate.Subject
    typealias Expression = DataStorePredicate.Expression

    static func value(of expression: Expression, _ subject: Subject) -> DataStoreValue {
        switch expression {
        case .value(let value): return value
        case .path(let path):
            guard let first = path.components.first else { return .null }
            return follow(path.components.dropFirst(), from: subject.value(first), subject)
        case .list(let parts): return .array(parts.map { value(of: $0, subject) })
        case .count(let path):
            return ReferenceFunction.value(.count, [value(of: .path(path), subject)])
        case .variable(let name): return subject.variables[name] ?? .null
        case .keyPath(of: let base, let path):
            return follow(path.components[...], from: value(of: base, subject), subject)
        case .function(.now, _): return .date(subject.now)
        case .function(let function, let arguments):
            return ReferenceFunction.value(function, arguments.map { value(of: $0, subject) })
        case .element(of: let base, let index):
            return element(of: value(of: base, subject), index, subject)
        case .subquery(let collection, let variable, let predicate):
            guard case .array(let elements) = value(of: collection, subject) else { return .null }
            return .array(
                elements.filter { element in
                    if subject.failure.error != nil { return false }
                    do throws(DataStoreError) { try WorkLimit.check() } catch {
                        subject.failure.note(error)
                    }
                    var inner = subject
                    inner.variables[variable] = element
                    return ReferencePredicate.matches(predicate, inner)
                })
        case .ternary(let predicate, let first, let second):
            let isTrue = ReferencePredicate.matches(predicate, subject)
            return value(of: isTrue ? first : second, subject)
        case .cast(let part, let valueClass):
            return ReferenceCast.value(value(of: part, subject), valueClass)
        }
    }

    private static func element(
        of collection: DataStoreValue, _ index: DataStorePredicate.Index, _ subject: Subject
    ) -> DataStoreValue {
        switch (collection, index) {
        case (.array(let elements), .first): return elements.first ?? .null
        case (.array(let elements), .last): return elements.last ?? .null
        case (_, .at(let place)):
            switch (collection, value(of: place, subject)) {
            case (.array(let elements), .int(let wanted)):
                return elements.enumerated().first { Int64($0.offset) == wanted }?.element ?? .null
            case (.dictionary(let entries), .string(let name)): return entries[name] ?? .null
            default: return .null
            }
        default: return .null
        }
    }

    private static func follow(
        _ names: ArraySlice<String>, from start: DataStoreValue, _ subject: Subject
    ) -> DataStoreValue {
        names.reduce(start) { value, name in step(from: value, to: name, subject) }
    }

    private static func step(
        from value: DataStoreValue, to name: String, _ subject: Subject
    ) -> DataStoreValue {
        switch value {
        case .dictionary(let entries): return entries[name] ?? .null
        case .reference(let reference): return subject.valueOfOther(name, reference)
        case .array(let elements):
            return .array(
                elements.flatMap { element -> [DataStoreValue] in
                    let inner = step(from: element, to: name, subject)
                    if case .array(let values) = inner { return values }
                    return [inner]
                })
        default: return .null
        }
    }
}

/// Converts values to values of another class.
private enum ReferenceCast {
    static func value(
        _ value: DataStoreValue, _ valueClass: DataStorePredicate.ValueClass
    ) -> DataStoreValue {
        switch (valueClass, value) {
        case (.number, .bool), (.number, .int), (.number, .double), (.number, .decimal),
            (.string, .string), (.date, .date), (.uuid, .uuid), (.decimalNumber, .decimal):
            return value
        case (.number, .date(let date)): return .double(date.timeIntervalSinceReferenceDate)
        case (.number, .string(let text)):
            if let whole = Int64(text) { return .int(whole) }
            guard isDecimal(text), let number = Double(text), number.isFinite else { return .null }
            return .double(number)
        case (.decimalNumber, .bool(let isTrue)): return .decimal(isTrue ? 1 : 0)
        case (.decimalNumber, .int(let whole)): return decimal(whole.description)
        case (.decimalNumber, .double(let number)):
            let size = abs(number)
            return number == 0 || size >= 1e-90 && size <= 1e90
                ? decimal(number.description) : .null
        case (.decimalNumber, .string(let text)): return decimal(text)
        case (.string, .bool(let isTrue)): return .string(isTrue ? "1" : "0")
        case (.string, .int(let whole)): return .string(String(whole))
        case (.string, .double(let number)):
            let isWhole = number.rounded() == number && abs(number) < 9_007_199_254_740_992
            return .string(isWhole ? String(Int64(number)) : number.description)
        case (.string, .decimal(let number)): return .string(number.description)
        case (.string, .uuid(let uuid)): return .string(uuid.uuidString)
        case (.string, .url(let url)): return .string(url.absoluteString)
        case (.string, .date(let date)):
            let isInCalendar = abs(date.timeIntervalSinceReferenceDate) < 60_000_000_000
            return isInCalendar ? .string(date.formatted(style)) : .null
        case (.date, .string(let text)):
            return (try? Date(text, strategy: style)).map { .date($0) } ?? .null
        case (.date, .bool), (.date, .int), (.date, .double), (.date, .decimal):
            guard let seconds = ReferenceArithmetic.double(value) else { return .null }
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case (.uuid, .string(let text)): return UUID(uuidString: text).map { .uuid($0) } ?? .null
        case (.uuid, .reference(let reference)): return .uuid(reference.id.uuid)
        default: return .null
        }
    }

    private static var style: Date.ISO8601FormatStyle {
        Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    }

    private static func isDecimal(_ text: String) -> Bool {
        text.allSatisfy { "0123456789+-.eE".contains($0) }
    }

    private static func decimal(_ text: String) -> DataStoreValue {
        guard isDecimal(text), Double(text) != nil, let number = Decimal(string: text) else {
            return .null
        }
        return .decimal(number)
    }
}
