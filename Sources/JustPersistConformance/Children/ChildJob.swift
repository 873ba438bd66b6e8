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
        /// Checks, one after the other up to the first one that breaks off.
        case batch([Check])
        /// A part in a check that another process judges.
        case role(name: String, parameters: [String: String])
    }

    /// The name under which Swift finds the type again.
    let fixture: String
    let work: Work
    let options: ConformanceOptions
    /// Where the work's stores lie.
    let directory: URL
    /// The file that takes the result of a check, or the error of a role.
    let answer: URL
    /// The process that wants the answer.
    let asker: Int32

    /// The file that takes what the process writes to standard error.
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

    /// Whether another process finds the fixture.
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
