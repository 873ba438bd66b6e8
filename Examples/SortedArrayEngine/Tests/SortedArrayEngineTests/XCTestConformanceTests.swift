import JustPersistConformance
import XCTest

/// The same in XCTest: one test for the whole kit.
final class XCTestConformanceTests: XCTestCase {
    func testConformance() async throws {
        let report = try await Conformance.report(on: SortedArrayFixture.self, from: self)
        XCTAssert(report.isConformant, report.description)
    }
}
