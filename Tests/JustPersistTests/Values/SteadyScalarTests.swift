import Foundation
import JustPersist
import Testing

/// The tables that spare the slow comparison of texts.
@Suite struct SteadyScalarTests {
    @Test func noneOfThemHasADecompositionOrIsAMark() {
        for range in Unicode.Scalar.withoutDecomposition {
            for scalar in range.compactMap(Unicode.Scalar.init) {
                let text = String(scalar)
                let decomposed = text.decomposedStringWithCanonicalMapping.unicodeScalars
                #expect(Array(decomposed) == [scalar], "U+\(String(scalar.value, radix: 16))")
                #expect(scalar.properties.canonicalCombiningClass == .notReordered)
            }
        }
    }
}
