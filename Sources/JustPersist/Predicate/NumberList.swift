import Foundation

/// The numbers of a list, for functions that compute one number from many.
struct NumberList {
    private let numbers: [ExactNumber]

    /// The numbers in values, with 0 for null; `nil` if there is any other value.
    init?(_ values: [DataStoreValue]) {
        var numbers: [ExactNumber] = []
        numbers.reserveCapacity(values.count)
        for value in values {
            if value.isNull {
                numbers.append(.int(0))
            } else if let number = ExactNumber(value) {
                numbers.append(number)
            } else {
                return nil
            }
        }
        self.numbers = numbers
    }

    /// The numbers added from the first to the last.
    var sum: ExactNumber { numbers.reduce(.int(0)) { $0 + $1 } }

    /// A decimal if all are exact and one is a decimal, or else a Double.
    var mean: ExactNumber? {
        if numbers.isEmpty { return nil }
        let sum = sum
        if numbers.contains(where: \.isDecimal), !sum.isDouble {
            return sum.divided(by: .int(Int64(numbers.count)))
        }
        return .double(sum.asDouble / Double(numbers.count))
    }

    var median: ExactNumber? {
        if numbers.isEmpty { return nil }
        if numbers.contains(where: \.isNaN) { return .double(.nan) }
        let sorted = numbers.sorted { $0.order(against: $1) == .ascending }
        let middle = sorted.count / 2
        if !sorted.count.isMultiple(of: 2) { return sorted[middle] }
        return NumberList([sorted[middle - 1], sorted[middle]]).mean
    }

    var standardDeviation: ExactNumber? {
        if numbers.isEmpty { return nil }
        let doubles = numbers.map(\.asDouble)
        let mean = doubles.reduce(0, +) / Double(doubles.count)
        let squares = doubles.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return .double((squares / Double(doubles.count)).squareRoot())
    }

    /// The most frequent numbers, in the order of their first occurrence; two NaN are different numbers.
    var mode: [ExactNumber] {
        var counts: [ValueSet.Key: Int] = [:]
        for number in numbers where !number.isNaN {
            counts[ValueSet.Key(number.value), default: 0] += 1
        }
        let most = counts.values.max() ?? 1
        return numbers.filter { number in
            if number.isNaN { return most == 1 }
            // Removed, so that each occurs once.
            let key = ValueSet.Key(number.value)
            guard counts[key] == most else { return false }
            counts[key] = nil
            return true
        }
    }

    private init(_ numbers: [ExactNumber]) { self.numbers = numbers }
}
