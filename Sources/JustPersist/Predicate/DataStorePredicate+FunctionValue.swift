import Foundation

extension DataStorePredicate.Function {
    /// The function's result for arguments that it accepts; `now` is the time of the request.
    func value(of arguments: [DataStoreValue], now: Date) -> DataStoreValue {
        if takesList {
            if arguments.count != 1 { return value(ofList: arguments) }
            guard case .array(let elements) = arguments[0] else { return .null }
            return value(ofList: elements)
        }
        switch arguments.count {
        case 0: return self == .now ? .date(now) : .null
        case 1: return value(of: arguments[0])
        case 2: return value(of: arguments[0], arguments[1])
        default: return .null
        }
    }

    private func value(of argument: DataStoreValue) -> DataStoreValue {
        switch (self, argument) {
        case (.count, .array(let elements)): return .int(Int64(elements.count))
        case (.count, .dictionary(let entries)): return .int(Int64(entries.count))
        case (.distinct, .array(let elements)): return .array(Self.distinct(elements))
        case (.uppercase, .string(let text)): return .string(text.uppercased())
        case (.lowercase, .string(let text)): return .string(text.lowercased())
        case (.length, .string(let text)): return .int(Int64(text.count))
        case (.length, .data(let data)): return .int(Int64(data.count))
        case (.onesComplement, _):
            return ExactNumber(argument)?.int.map { .int(~$0) } ?? .null
        default: break
        }
        guard let number = ExactNumber(argument) else { return .null }
        switch self {
        case .squareRoot: return .double(number.asDouble.squareRoot())
        case .logarithm: return .double(log10(number.asDouble))
        case .naturalLogarithm: return .double(log(number.asDouble))
        case .exponential: return .double(exp(number.asDouble))
        case .floor: return number.rounded(.down).value
        case .ceiling: return number.rounded(.up).value
        case .truncate: return number.rounded(.towardZero).value
        case .absolute: return number.magnitudeNumber.value
        default: return .null
        }
    }

    private func value(of first: DataStoreValue, _ second: DataStoreValue) -> DataStoreValue {
        guard let a = ExactNumber(first), let b = ExactNumber(second) else { return .null }
        switch self {
        case .add: return (a + b).value
        case .subtract: return (a - b).value
        case .multiply: return (a * b).value
        case .divide: return (a / b)?.value ?? .null
        case .power: return a.raised(to: b).value
        case .modulus: return a.remainder(dividingBy: b)?.value ?? .null
        default: break
        }
        guard let a = a.int, let b = b.int else { return .null }
        switch self {
        case .bitwiseAnd: return .int(a & b)
        case .bitwiseOr: return .int(a | b)
        case .bitwiseXor: return .int(a ^ b)
        case .shiftLeft: return .int(a << b)
        case .shiftRight: return .int(a >> b)
        default: return .null
        }
    }

    private func value(ofList list: [DataStoreValue]) -> DataStoreValue {
        switch self {
        case .minimum: return Self.extreme(of: list, .ascending)
        case .maximum: return Self.extreme(of: list, .descending)
        default: break
        }
        guard let numbers = NumberList(list) else { return .null }
        switch self {
        case .sum: return numbers.sum.value
        case .average: return numbers.mean?.value ?? .null
        case .median: return numbers.median?.value ?? .null
        case .standardDeviation: return numbers.standardDeviation?.value ?? .null
        case .mode: return .array(numbers.mode.map(\.value))
        default: return .null
        }
    }

    /// The first element in an order; null if two elements have no order.
    private static func extreme(of list: [DataStoreValue], _ wanted: ValueOrder) -> DataStoreValue {
        var best = DataStoreValue.null
        for value in list where !value.isNull {
            if best.isNull {
                best = value
                continue
            }
            guard let order = value.order(against: best) else { return .null }
            if order == wanted { best = value }
        }
        return best
    }

    private static func distinct(_ elements: [DataStoreValue]) -> [DataStoreValue] {
        var seen: Set<ValueSet.Key> = []
        return elements.filter { element in
            // A value with NaN in it equals nothing, and so is always distinct.
            !element.isEqual(to: element) || seen.insert(ValueSet.Key(element)).inserted
        }
    }
}

extension ExactNumber {
    /// The number, if it is stored as a whole number.
    fileprivate var int: Int64? { if case .int(let value) = self { value } else { nil } }
}
