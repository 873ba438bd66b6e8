import Foundation
import JustPersist

/// A role that another process plays in a check.
struct ChildRole: Sendable {
    /// The name of the role: `dur/writer`.
    let name: String
    /// The work of the role; the process ends when it returns or throws.
    let play: @Sendable (ChildContext) throws -> Void

    init(_ name: String, play: @escaping @Sendable (ChildContext) throws -> Void) {
        self.name = name
        self.play = play
    }

    /// Every role.
    static let all: [ChildRole] =
        DurabilityRoles.all + [
            FixtureChecks.writer, ErrorChecks.secondOpener, ErrorChecks.sharer,
            EvolutionChecks.planApplier,
        ]
}

/// The parameters of a role, and the stores that it uses.
struct ChildContext: Sendable {
    let fixture: any ConformanceFixture.Type
    /// The directory of the check, shared with the process that evaluates it.
    let directory: URL
    let parameters: [String: String]
    let seed: UInt64

    /// A closed store that keeps its files in a directory of that name.
    func makeStore(named name: String) throws -> any DataStore {
        try fixture.store(
            in: directory.appending(path: name, directoryHint: .isDirectory), errorHandler: { _ in }
        )
    }

    /// The parameter of that name, as a number.
    func number(_ name: String) throws -> Int {
        guard let number = parameters[name].flatMap({ Int($0) }) else {
            throw DataStoreError(
                .invalidInput, in: "conformance", "The role has no number “\(name)”.")
        }
        return number
    }
}
