import Foundation
import JustPersistConformance
import Testing

@testable import JustPersist

/// Sums of Doubles are exact until they are rounded once.
@Suite struct ExactSumTests {
    private func sum(_ numbers: [Double], _ whole: [Int128] = []) -> Double {
        var sum = ExactSum()
        for number in numbers { sum.add(number) }
        for number in whole { sum.add(number) }
        return sum.rounded
    }

    @Test func nothingIsLostOnTheWay() {
        #expect(sum([]) == 0)
        #expect(sum([-0.0]).sign == .plus)
        #expect(sum(Array(repeating: 0.1, count: 10)) == 1)
        #expect(sum([1e16, 1, -1e16]) == 1)
        #expect(sum([1e308, 1e308, -1e308]) == 1e308)
        #expect(sum([1e308, 1e308]) == .infinity)
        #expect(sum([-.greatestFiniteMagnitude, -.greatestFiniteMagnitude]) == -.infinity)
        #expect(sum([.leastNonzeroMagnitude, .leastNonzeroMagnitude]) == Double(bitPattern: 2))
        #expect(sum([1, .leastNonzeroMagnitude, -1]) == .leastNonzeroMagnitude)
        #expect(sum([1e300, 1e-300, -1e300]) == 1e-300)
        #expect(sum([0.5], [Int128(Int64.max), 1]) == 0x1p63)
        #expect(sum([-0x1p63], [Int128(Int64.max)]) == -1)
        #expect(sum([0.25], [-(1 << 100), 1 << 100]) == 0.25)
    }

    @Test func halvesGoToTheEvenNumber() {
        #expect(sum([0x1p53, 1]) == 0x1p53)
        #expect(sum([0x1p53, 1, .leastNonzeroMagnitude]) == 0x1p53 + 2)
        #expect(sum([0x1p53 + 2, 1]) == 0x1p53 + 4)
        #expect(sum([0x1p53 + 2, 1, -.leastNonzeroMagnitude]) == 0x1p53 + 2)
        #expect(sum([-0x1p53, -1]) == -0x1p53)
    }

    @Test func theOrderDoesNotMatter() {
        var random = SeededGenerator(seed: .random(in: 0 ... .max))
        for _ in 0..<300 {
            var numbers: [Double] = []
            for _ in 0..<random.int(in: 1..<40) {
                let number = Double(bitPattern: UInt64.random(in: 0 ... .max, using: &random))
                if number.isFinite { numbers.append(number) }
            }
            let rest = Double(random.int(in: 0..<1000)) / 7
            // All but one come twice, with both signs.
            let all = random.shuffled(numbers + numbers.map { -$0 } + [rest])
            #expect(sum(all) == rest, "seed \(random.seed)")
            #expect(sum(numbers) == sum(numbers.reversed()), "seed \(random.seed)")
            #expect(sum(numbers) == -sum(numbers.map { -$0 }), "seed \(random.seed)")
        }
    }
}
