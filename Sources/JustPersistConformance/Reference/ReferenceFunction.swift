import Foundation
import JustPersist

/// Evaluates functions.
enum ReferenceFunction {
    typealias Function = DataStorePredicate.Function

    static func value(_ function: Function, _ arguments: [DataStoreValue]) -> DataStoreValue {
        switch function {
        case .sum, .minimum, .maximum, .average, .median, .mode, .standardDeviation:
            var list = arguments
            if arguments.count == 1 {
                guard case .array(let elements) = arguments[0] else { return .null }
                list = elements
            }
            return value(function, ofList: list)
        default: break
        }
        if arguments.count == 2 { return value(function, arguments[0], arguments[1]) }
        return arguments.count == 1 ? value(function, arguments[0]) : .null
    }

    private static func value(
        _ function: Function, _ a: DataStoreValue, _ b: DataStoreValue
    ) -> DataStoreValue {
        switch function {
        case .add: return ReferenceArithmetic.calculate("+", a, b)
        case .subtract: return ReferenceArithmetic.calculate("-", a, b)
        case .multiply: return ReferenceArithmetic.calculate("*", a, b)
        case .divide: return ReferenceArithmetic.calculate("/", a, b)
        case .modulus: return ReferenceArithmetic.calculate("%", a, b)
        case .power: return ReferenceArithmetic.power(a, b)
        case .bitwiseAnd, .bitwiseOr, .bitwiseXor, .shiftLeft, .shiftRight:
            guard let a = ReferenceArithmetic.whole(a), let b = ReferenceArithmetic.whole(b) else {
                return .null
            }
            switch function {
            case .bitwiseAnd: return .int(a & b)
            case .bitwiseOr: return .int(a | b)
            case .bitwiseXor: return .int(a ^ b)
            case .shiftLeft: return .int(a << b)
            default: return .int(a >> b)
            }
        default: return .null
        }
    }

    private static func value(_ function: Function, _ value: DataStoreValue) -> DataStoreValue {
        switch (function, value) {
        case (.count, .array(let elements)): return .int(Int64(elements.count))
        case (.count, .dictionary(let entries)): return .int(Int64(entries.count))
        case (.distinct, .array(let elements)):
            var kept: [DataStoreValue] = []
            for element in elements
            where !kept.contains(where: { ReferenceOrder.isEqual($0, element) }) {
                kept.append(element)
            }
            return .array(kept)
        case (.uppercase, .string(let text)): return .string(text.uppercased())
        case (.lowercase, .string(let text)): return .string(text.lowercased())
        case (.length, .string(let text)): return .int(Int64(text.count))
        case (.length, .data(let data)): return .int(Int64(data.count))
        case (.onesComplement, _):
            return ReferenceArithmetic.whole(value).map { .int(-1 - $0) } ?? .null
        case (.floor, _): return ReferenceArithmetic.rounded(value, .down)
        case (.ceiling, _): return ReferenceArithmetic.rounded(value, .up)
        case (.truncate, _): return ReferenceArithmetic.rounded(value, .towardZero)
        case (.absolute, .double(let number)): return .double(abs(number))
        case (.absolute, .decimal(let number)):
            if number.isNaN { return value }
            return .decimal(Decimal(string: number.description.filter { $0 != "-" }) ?? .nan)
        case (.absolute, _):
            let isPositive = ReferenceOrder.order(value, .int(0)) == .descending
            return isPositive
                ? ReferenceArithmetic.plain(value)
                : ReferenceArithmetic.calculate("-", .int(0), value)
        default: break
        }
        guard let number = ReferenceArithmetic.double(value) else { return .null }
        switch function {
        case .squareRoot: return .double(sqrt(number))
        case .logarithm: return .double(log10(number))
        case .naturalLogarithm: return .double(log(number))
        case .exponential: return .double(exp(number))
        default: return .null
        }
    }

    private static func value(
        _ function: Function, ofList list: [DataStoreValue]
    ) -> DataStoreValue {
        if function == .minimum || function == .maximum {
            let present = list.filter { !$0.isNull }
            guard var best = present.first else { return .null }
            for value in present.dropFirst() {
                guard let order = ReferenceOrder.order(value, best) else { return .null }
                if order == (function == .minimum ? .ascending : .descending) { best = value }
            }
            return best
        }
        // Null counts as 0.
        let numbers = list.map { $0.isNull ? .int(0) : $0 }
        guard numbers.allSatisfy({ ReferenceNumber($0) != nil }) else { return .null }
        switch function {
        case .sum: return sum(numbers)
        case .average: return mean(numbers)
        case .median: return median(numbers)
        case .mode:
            let counts = numbers.map { number in
                max(1, numbers.count { ReferenceOrder.isEqual($0, number) })
            }
            let most = numbers.indices.filter { counts[$0] == counts.max() }.map { numbers[$0] }
            return value(.distinct, .array(most.map(ReferenceArithmetic.plain)))
        case .standardDeviation:
            if numbers.isEmpty { return .null }
            let doubles = numbers.compactMap(ReferenceArithmetic.double)
            let mean = doubles.reduce(0, +) / Double(doubles.count)
            let variance =
                doubles.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / Double(doubles.count)
            return .double(sqrt(variance))
        default: return .null
        }
    }

    private static func sum(_ numbers: [DataStoreValue]) -> DataStoreValue {
        numbers.reduce(.int(0)) { ReferenceArithmetic.calculate("+", $0, $1) }
    }

    private static func mean(_ numbers: [DataStoreValue]) -> DataStoreValue {
        if numbers.isEmpty { return .null }
        let sum = sum(numbers)
        let count = Decimal(numbers.count)
        if numbers.contains(where: { $0.kind == .decimal }), sum.kind != .double {
            return ReferenceArithmetic.calculate("/", sum, .decimal(count))
        }
        return ReferenceArithmetic.calculate(
            "/", .double(ReferenceArithmetic.double(sum) ?? .nan), .int(Int64(numbers.count)))
    }

    private static func median(_ numbers: [DataStoreValue]) -> DataStoreValue {
        if numbers.isEmpty { return .null }
        if numbers.contains(where: { ReferenceNumber($0)?.isNaN ?? true }) { return .double(.nan) }
        var sorted: [DataStoreValue] = []
        for number in numbers {
            let place = sorted.firstIndex { ReferenceOrder.order(number, $0) == .ascending }
            sorted.insert(number, at: place ?? sorted.count)
        }
        let upper = sorted[sorted.count / 2]
        return sorted.count % 2 == 1
            ? ReferenceArithmetic.plain(upper) : mean([sorted[sorted.count / 2 - 1], upper])
    }
}
