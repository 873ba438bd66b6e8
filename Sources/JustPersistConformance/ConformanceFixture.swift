public import Foundation
public import JustPersist

/// How the kit makes the store that it examines: the whole of what an author of a store writes.
///
/// ```swift
/// enum MyFixture: ConformanceFixture {
///     static func makeStore(in directory: URL) throws -> MyStore { MyStore(at: directory) }
/// }
/// ```
///
/// A type rather than a closure, because checks run in processes of their own, which find it again by its
/// name. So it must not be `private` or declared in a function. What the store can do is read from its
/// `capabilities`.
public protocol ConformanceFixture: SendableMetatype {
    /// The store under examination.
    associatedtype Store: DataStore

    /// Makes a store that is not open and keeps its files in `directory`.
    ///
    /// Called many times, from any thread: with a directory that is empty or not there for a store that
    /// shall be empty, and with one used before for a further instance over the same files. It opens and makes
    /// nothing there: whether the place can be used is for `open()` to say. The kit gives the store an error
    /// handler.
    static func makeStore(in directory: URL) throws -> Store

    /// Makes a store that is not open, of another kind, with which items are exchanged in the checks of migrations.
    ///
    /// By default `nil`: items are exchanged with the kit's own reference store. Each call has a directory of its own, which
    /// is not there.
    static func makeSecondStore(in directory: URL) throws -> (any DataStore)?

    /// Makes a store that is not open and keeps a change log, for stores that keep one only if they are asked to.
    ///
    /// By default `nil`: logs are examined in stores that declare one.
    static func makeStoreWithChangeLog(in directory: URL) throws -> (any DataStore)?

    /// Writes a copy of what an open store has committed into a directory that is not there, and from which
    /// ``makeStore(in:)`` makes a store.
    ///
    /// By default with the store's `backUp(to:)`. `false` if there is no way: then backups are unverified.
    static func backUp(_ store: Store, to directory: URL) throws -> Bool

    /// Damages what a closed store keeps in a directory, so that a program which reads all of it has to notice.
    ///
    /// The store contains items whose texts begin with `ConformanceDamage`. By default `false`: nothing was damaged, and
    /// what the store does about damage is unverified.
    static func corrupt(in directory: URL) throws -> Bool

    /// How often the store has made sure so far that what it has written is on the disk.
    ///
    /// By default `nil`: whether it does so at each commit is unverified.
    static func syncAudit(of store: Store) throws -> Int?

    /// The checks that the store is known to fail; by default none.
    static var knownFailures: [KnownFailure] { get }

    /// The command that runs a check again with the same profile and seed; by default `swift test`
    /// with the environment variables that say so.
    static func rerunCommand(check: String, options: ConformanceOptions) -> String

    /// The name of the store in reports; by default the name of its type.
    static var storeName: String { get }
}

extension ConformanceFixture {
    /// None: the reference store.
    public static func makeSecondStore(in directory: URL) throws -> (any DataStore)? { nil }

    /// None.
    public static func makeStoreWithChangeLog(in directory: URL) throws -> (any DataStore)? { nil }

    /// By the store's own means, if it has some.
    public static func backUp(_ store: Store, to directory: URL) throws -> Bool {
        do {
            _ = try store.backUp(to: directory)
            return true
        } catch let error as DataStoreError where error.code == .unsupported {
            return false
        }
    }

    /// Nothing is damaged.
    public static func corrupt(in directory: URL) throws -> Bool { false }

    /// Unknown.
    public static func syncAudit(of store: Store) throws -> Int? { nil }

    /// None.
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
/// Such a check turns red when it passes: then the entry is to be removed.
public struct KnownFailure: Sendable, Hashable {
    /// The checks concerned: an id such as `iso/P4`, or a pattern such as `child/*`.
    public let pattern: String
    /// Why the store fails them.
    public let reason: String
    /// Where that is being followed up.
    public let link: String?

    /// A known failure of the checks whose ids match `pattern`.
    public init(_ pattern: String, reason: String, link: String? = nil) {
        self.pattern = pattern
        self.reason = reason
        self.link = link
    }
}
