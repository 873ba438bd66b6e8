import JustPersistConformance
import XCTest

/// The conformance kit in XCTest: one test for all checks.
final class XCTestConformanceTests: XCTestCase {
    func testConformance() async throws {
        let report = try await Conformance.report(on: SortedArrayFixture.self, from: self)
        XCTAssert(report.isConformant, report.description)
    }
}
