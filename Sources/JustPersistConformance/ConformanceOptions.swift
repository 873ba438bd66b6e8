public import Foundation

/// The thoroughness of a run.
public enum ConformanceProfile: String, Sendable, Codable, CaseIterable {
    /// Each check once, in small sizes. It takes less than a minute, and is meant for every test run.
    case quick
    /// Larger sizes, and the checks of items and queries again on stores in other states. It takes some minutes.
    case full
    /// The largest sizes, such as a thousand crashes and histories of 100,000 blocks. It takes hours.
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

/// The level of the kit that a store must pass, so that a check that is added later breaks no build.
///
/// Checks of later levels than the requested one run too. Their results are reported, but are not failures.
public enum ConformanceLevel: Int, Sendable, Codable, Comparable {
    /// The checks of the kit's first release.
    case v1 = 1

    /// Orders by release.
    public static func < (lhs: ConformanceLevel, rhs: ConformanceLevel) -> Bool {
        lhs.rawValue < rhs.rawValue
    }
}

/// The options of a run of the kit.
public struct ConformanceOptions: Sendable, Codable {
    /// The thoroughness of the run.
    public var profile: ConformanceProfile
    /// Patterns of the ids to run, such as `iso/*`; empty for all.
    public var only: [String]
    /// The seed of every random choice.
    public var seed: UInt64
    /// The seconds without progress after which a check is ended as hanging.
    ///
    /// While its process uses the processor, the limit is four times as long.
    public var timeout: Double
    /// Whether all checks run in this process instead of separate processes.
    ///
    /// Set this for debuggers and sanitizers. A store that traps then ends the whole run, and the threads of a store
    /// that hangs remain.
    public var runsInProcess: Bool
    /// The directory in which the stores' directories are created; by default the system's temporary directory.
    public var scratchDirectory: URL
    /// The directory in which failing histories are kept, one in each file.
    ///
    /// Later runs execute them first. By default it is `Replays` in the current directory, which for `swift test` is
    /// the package's directory.
    ///
    /// Commit the files to your repository.
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
    /// Throws an error that lists the valid values if a variable is invalid.
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
    /// Throws an error for a pattern that matches no check of the kit.
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

/// The error for an invalid option of the kit.
public struct ConformanceOptionsError: Error, CustomStringConvertible {
    /// The invalid option, and its valid values.
    public let description: String
}
