public import Foundation
public import JustPersist

/// Makes the store that the kit examines.
///
/// The author of a store writes one fixture, and nothing else.
///
/// ```swift
/// enum MyFixture: ConformanceFixture {
///     static func makeStore(in directory: URL) throws -> MyStore { MyStore(at: directory) }
/// }
/// ```
///
/// A fixture is a type rather than a closure, because checks run in separate processes, which find the type by its
/// name. It must therefore not be `private` or declared in a function. The store's `capabilities` determine which
/// checks apply.
public protocol ConformanceFixture: SendableMetatype {
    /// The store under examination.
    associatedtype Store: DataStore

    /// Makes a closed store that keeps its files in `directory`.
    ///
    /// The kit calls this many times, from any thread. For an empty store, the directory is empty or does not exist;
    /// for another instance over the same files, it is a directory that was used before. Do not open or create anything
    /// in it: `open()` reports whether the place can be used. The kit sets the store's error handler.
    static func makeStore(in directory: URL) throws -> Store

    /// Makes a closed store of another kind, with which the checks of migrations exchange items.
    ///
    /// By default `nil`: the checks use the kit's reference store. Each call receives another directory, which does not
    /// exist.
    static func makeSecondStore(in directory: URL) throws -> (any DataStore)?

    /// Makes a closed store that keeps a change log, for stores that keep one only if it is requested.
    ///
    /// By default `nil`: change logs are examined only in stores that declare one.
    static func makeStoreWithChangeLog(in directory: URL) throws -> (any DataStore)?

    /// Writes a copy of an open store's committed state into a directory that does not exist, from which
    /// ``makeStore(in:)`` can then make a store.
    ///
    /// The default calls the store's `backUp(to:)`. Return `false` if a backup is not possible: backups are then
    /// unverified.
    static func backUp(_ store: Store, to directory: URL) throws -> Bool

    /// Damages the files of a closed store in a directory, so that reading all of its items must detect the damage.
    ///
    /// The store contains items whose texts begin with `ConformanceDamage`. Return `false`, as the default does, if
    /// nothing was damaged: the detection of damage is then unverified.
    static func corrupt(in directory: URL) throws -> Bool

    /// The number of times that the store has synced its files to the disk so far.
    ///
    /// By default `nil`: it is then unverified whether the store syncs at each commit.
    static func syncAudit(of store: Store) throws -> Int?

    /// Whether the store keeps its files in the directory; by default `true`.
    ///
    /// If it is a server that keeps the data, the directory is only a name for the store, and checks that put files in its
    /// place, or reach it by another path, do not apply.
    static var keepsFiles: Bool { get }

    /// The checks that the store is known to fail; by default none.
    static var knownFailures: [KnownFailure] { get }

    /// The command that runs a check again with the same profile and seed; by default `swift test`
    /// with the corresponding environment variables.
    static func rerunCommand(check: String, options: ConformanceOptions) -> String

    /// The name of the store in reports; by default the name of its type.
    static var storeName: String { get }
}

extension ConformanceFixture {
    /// `nil`: the reference store is used.
    public static func makeSecondStore(in directory: URL) throws -> (any DataStore)? { nil }

    /// `nil`: no store with a change log.
    public static func makeStoreWithChangeLog(in directory: URL) throws -> (any DataStore)? { nil }

    /// Uses the store's `backUp(to:)`, if the store supports it.
    public static func backUp(_ store: Store, to directory: URL) throws -> Bool {
        do {
            _ = try store.backUp(to: directory)
            return true
        } catch let error as DataStoreError where error.code == .unsupported {
            return false
        }
    }

    /// `false`: nothing is damaged.
    public static func corrupt(in directory: URL) throws -> Bool { false }

    /// `nil`: unknown.
    public static func syncAudit(of store: Store) throws -> Int? { nil }

    /// `true`: the store keeps files.
    public static var keepsFiles: Bool { true }

    /// No known failures.
    public static var knownFailures: [KnownFailure] { [] }

    /// `JP_ONLY='…' JP_PROFILE=… JP_SEED=… swift test`.
    public static func rerunCommand(check: String, options: ConformanceOptions) -> String {
        "JP_ONLY='\(check)' JP_PROFILE=\(options.profile.rawValue) JP_SEED=\(options.seed) swift test"
    }

    /// The name of the store's type.
    public static var storeName: String { "\(Store.self)" }
}

/// A check that a store is known to fail, so that it does not hide new failures.
///
/// If such a check passes, it is reported as a failure: remove the entry then.
public struct KnownFailure: Sendable, Hashable {
    /// The checks: an id such as `iso/P4`, or a pattern such as `child/*`.
    public let pattern: String
    /// The reason that the store fails them.
    public let reason: String
    /// A link to the issue in which the failure is tracked.
    public let link: String?

    /// A known failure of the checks whose ids match `pattern`.
    public init(_ pattern: String, reason: String, link: String? = nil) {
        self.pattern = pattern
        self.reason = reason
        self.link = link
    }
}
