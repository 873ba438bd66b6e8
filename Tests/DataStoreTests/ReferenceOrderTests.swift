import Foundation
import JustPersist
import JustPersistConformance
import Testing

/// The contract's two comparisons, the one that stores use and the one that is written to be read, agree.
@Suite struct ReferenceOrderTests {
    private func expectAgreement(_ a: DataStoreValue, _ b: DataStoreValue) {
        #expect(a.isEqual(to: b) == ReferenceOrder.isEqual(a, b), "\(a) == \(b)")
        #expect(a.order(against: b) == ReferenceOrder.order(a, b), "\(a) < \(b)")
        #expect(a.sortOrder(against: b) == ReferenceOrder.sortOrder(a, b), "\(a) before \(b)")
    }

    @Test func everyPairOfNumbers() {
        var numbers: [DataStoreValue] = [.bool(true), .bool(false)]
        numbers += RandomValues.ints.map { .int($0) }
        numbers += RandomValues.decimals.map { .decimal($0) }
        numbers += RandomValues.doubles.flatMap { double -> [DataStoreValue] in
            [.double(double), .double(double.nextUp), .double(-double)]
        }
        for a in numbers { for b in numbers { expectAgreement(a, b) } }
    }

    @Test func everyPairOfTexts() {
        let texts = RandomValues.strings.map { DataStoreValue.string($0) }
        for a in texts { for b in texts { expectAgreement(a, b) } }
    }

    @Test func randomNumbersOfAllMagnitudes() {
        var generator = SeededGenerator(seed: .random(in: 0 ... .max))
        print("seed: \(generator.seed)")
        func number() -> DataStoreValue {
            let bits = generator.next()
            switch generator.int(in: 0..<4) {
            case 0: return .int(Int64(bitPattern: bits >> UInt64(generator.int(in: 0..<64))))
            case 1: return .double(Double(bitPattern: bits))
            case 2: return .double(Double(Int64(bitPattern: bits)))
            default:
                let scale = Decimal(
                    sign: .plus, exponent: generator.int(in: -40..<40), significand: 1)
                return .decimal(Decimal(Int64(bitPattern: bits) / 1000) * scale)
            }
        }
        for _ in 0..<3000 { expectAgreement(number(), number()) }
    }

    @Test func randomValuesOfEveryKind() {
        var random = RandomValues()
        print("seed: \(random.generator.seed)")
        for _ in 0..<5000 { expectAgreement(random.value(), random.value()) }
    }

    @Test func textsWithMarksInAnyOrder() {
        var generator = SeededGenerator(seed: .random(in: 0 ... .max))
        print("seed: \(generator.seed)")
        let scalars: [Unicode.Scalar] = [
            "a", "e", "k", "\u{301}", "\u{327}", "\u{323}", "\u{30C}", "\u{1E9}", "\u{E9}",
            "\u{1112}", "\u{1161}", "\u{11AB}", "\u{AC00}", "\u{344}", "\u{212B}", "\u{FB01}",
        ]
        func text() -> DataStoreValue {
            var view = String.UnicodeScalarView()
            for _ in 0..<generator.int(in: 0..<5) { view.append(generator.pick(scalars)) }
            return .string(String(view))
        }
        for _ in 0..<4000 { expectAgreement(text(), text()) }
    }
}
