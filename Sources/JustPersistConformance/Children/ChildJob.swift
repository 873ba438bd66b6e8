import Foundation

/// The work of a further process of the program, in a form that can be passed to it.
struct ChildJob: Codable {
    /// A check, and the state of the store that it examines.
    struct Check: Codable {
        let id: String
        let variant: StoreVariant
    }

    /// The work.
    enum Work: Codable {
        /// A check.
        case check(Check)
        /// Checks, one after the other, up to the first one that does not finish.
        case batch([Check])
        /// A role in a check that another process evaluates.
        case role(name: String, parameters: [String: String])
    }

    /// The name by which Swift finds the type.
    let fixture: String
    let work: Work
    let options: ConformanceOptions
    /// The directory of the stores.
    let directory: URL
    /// The file for the result of a check, or the error of a role.
    let answer: URL
    /// The process that waits for the answer.
    let asker: Int32

    /// The file for the standard error of the process.
    var standardError: URL { answer.appendingPathExtension("stderr") }

    init(
        _ work: Work, for fixture: any ConformanceFixture.Type, options: ConformanceOptions,
        directory: URL, answer: URL
    ) {
        self.fixture = _mangledTypeName(fixture) ?? ""
        self.work = work
        self.options = options
        self.directory = directory
        self.answer = answer
        asker = getpid()
    }

    /// The fixture, found by its name; nil for a type that is private or local.
    static func fixture(named name: String) -> (any ConformanceFixture.Type)? {
        _typeByName(name) as? any ConformanceFixture.Type
    }

    /// Whether another process can find the fixture.
    static func canFind(_ fixture: any ConformanceFixture.Type) -> Bool {
        _mangledTypeName(fixture).flatMap(Self.fixture) != nil
    }

    /// The job as text.
    var text: String {
        get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
    }

    init(text: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
    }
}
