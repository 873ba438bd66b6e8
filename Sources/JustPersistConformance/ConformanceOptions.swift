public import Foundation

/// How thoroughly the kit looks.
public enum ConformanceProfile: String, Sendable, Codable, CaseIterable {
    /// Every check once, in small sizes: for each test run. Less than a minute.
    case quick
    /// Larger sizes, and the checks of items and queries again on stores in other states. Some minutes.
    case full
    /// The largest sizes, such as a thousand crashes and histories of 100,000 blocks. Hours.
    case soak

    /// The size for this profile.
    func pick<Size>(quick: Size, full: Size, soak: Size) -> Size {
        switch self {
        case .quick: quick
        case .full: full
        case .soak: soak
        }
    }
}

/// The edition of the kit that a store must pass, so that a check added later breaks no build.
///
/// Checks of a later level than the one asked for run too; what they find is reported, and is no failure.
public enum ConformanceLevel: Int, Sendable, Codable, Comparable {
    /// The checks of the kit's first release.
    case v1 = 1

    /// Orders by release.
    public static func < (lhs: ConformanceLevel, rhs: ConformanceLevel) -> Bool {
        lhs.rawValue < rhs.rawValue
    }
}

/// How a run of the kit goes.
public struct ConformanceOptions: Sendable, Codable {
    /// How thoroughly the kit looks.
    public var profile: ConformanceProfile
    /// Patterns of the ids to run, such as `iso/*`; empty for all.
    public var only: [String]
    /// The seed of every random choice.
    public var seed: UInt64
    /// The seconds without any sign of life after which a check is given up as hanging; four times as many while
    /// its process computes.
    public var timeout: Double
    /// Whether checks run in this process rather than each in one of its own.
    ///
    /// For debuggers and sanitizers. A store that traps then takes the run with it, and one that hangs keeps its
    /// threads.
    public var runsInProcess: Bool
    /// Where the stores' directories are made; by default in the system's temporary directory.
    public var scratchDirectory: URL
    /// Where failing histories are kept, one in a file, to be run again first of all; by default `Replays`
    /// in the current directory, which for `swift test` is the package's.
    ///
    /// Worth being checked in.
    public var replayDirectory: URL
    /// A file for the report, its format by its extension: `json`, `md`, `xml` (JUnit) or text.
    public var reportFile: URL?

    /// Options; by default those of a quick run with a random seed.
    public init(
        profile: ConformanceProfile = .quick, only: [String] = [],
        seed: UInt64 = .random(in: 0 ... .max), timeout: Double = 30, runsInProcess: Bool = false,
        scratchDirectory: URL = FileManager.default.temporaryDirectory,
        replayDirectory: URL = URL(filePath: "Replays"), reportFile: URL? = nil
    ) {
        self.profile = profile
        self.only = only
        self.seed = seed
        self.timeout = timeout
        self.runsInProcess = runsInProcess
        self.scratchDirectory = scratchDirectory
        self.replayDirectory = replayDirectory
        self.reportFile = reportFile
    }

    /// Options from the environment: `JP_PROFILE`, `JP_ONLY` (patterns, separated by commas), `JP_SEED`,
    /// `JP_TIMEOUT` (seconds), `JP_IN_PROCESS` (1), `JP_REPLAYS` (a directory) and `JP_REPORT` (a
    /// file).
    ///
    /// A variable that cannot be read is an error that says what it takes.
    public init(environment: [String: String]) throws(ConformanceOptionsError) {
        self.init()
        func read<Value>(
            _ name: String, as takes: String, _ parse: (String) -> Value?
        ) throws(ConformanceOptionsError) -> Value? {
            guard let text = environment[name], !text.isEmpty else { return nil }
            guard let value = parse(text) else {
                throw ConformanceOptionsError(
                    description: "\(name) is “\(text)”; it takes \(takes).")
            }
            return value
        }
        profile =
            try read("JP_PROFILE", as: "quick, full or soak") { ConformanceProfile(rawValue: $0) }
            ?? profile
        only = try Self.patterns(in: environment["JP_ONLY"] ?? "", of: "JP_ONLY")
        seed = try read("JP_SEED", as: "a number from 0 to 2^64 - 1") { UInt64($0) } ?? seed
        timeout =
            try read("JP_TIMEOUT", as: "a number of seconds above 0") { text in
                Double(text).flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
            } ?? timeout
        runsInProcess =
            try read("JP_IN_PROCESS", as: "0 or 1") { ["0": false, "1": true][$0] } ?? runsInProcess
        replayDirectory =
            try read("JP_REPLAYS", as: "a path") { URL(filePath: $0) } ?? replayDirectory
        reportFile = try read(
            "JP_REPORT", as: "a file in a directory that exists, ending in .txt, .json, .md or .xml"
        ) { path in
            let file = URL(filePath: path)
            let folder = file.deletingLastPathComponent().path
            let isKnown = ["txt", "json", "md", "xml"].contains(file.pathExtension.lowercased())
            return isKnown && FileManager.default.fileExists(atPath: folder) ? file : nil
        }
    }

    /// The patterns in a list such as `iso/*,crud/insert-twice`, the value of the option of that name.
    ///
    /// A pattern that means no check of the kit is an error.
    public static func patterns(
        in list: String, of option: String
    ) throws(ConformanceOptionsError) -> [String] {
        let patterns = list.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }
        if let unknown = patterns.first(where: { !Inventory.hasCheck(matching: $0) }) {
            throw ConformanceOptionsError(
                description: "\(option) names “\(unknown)”, which matches no check of the kit.")
        }
        return patterns
    }
}

/// An option of the kit that cannot be read.
public struct ConformanceOptionsError: Error, CustomStringConvertible {
    /// The error in it, and the values that it takes.
    public let description: String
}
