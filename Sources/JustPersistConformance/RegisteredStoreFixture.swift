import Foundation
import JustPersist

extension Conformance {
    /// A fixture for the store of a registered URL scheme: `lmdb:`.
    ///
    /// A path after the scheme is the directory in which the kit creates its own directories; a store in that directory
    /// is not changed. A process can use one scheme at a time.
    ///
    /// This is for programs that start their further processes with ``ChildLauncher/relaunching(arguments:)``, and call
    /// this function in each of them.
    public static func fixture(scheme: String) throws -> any ConformanceFixture.Type {
        func registered<Store: DataStore>(_: Store) -> any ConformanceFixture.Type {
            RegisteredStoreFixture<Store>.self
        }
        let place = FileManager.default.temporaryDirectory
            .appending(path: "conformance-\(UUID().uuidString)").path(percentEncoded: false)
        let placed = try? DataStores.make("\(scheme):\(place)")
        // Some stores have no path, such as those in memory.
        let store = try placed ?? DataStores.make("\(scheme):")
        registeredScheme.withLock {
            $0 = RegisteredScheme(name: scheme, hasPlace: placed != nil)
        }
        return registered(store)
    }

    fileprivate static let registeredScheme = Locked(
        RegisteredScheme(name: "", hasPlace: false), isProcessWide: true)
}

/// The URL scheme that was chosen last.
private struct RegisteredScheme: Sendable {
    let name: String
    /// Whether a path follows it.
    let hasPlace: Bool

    func url(of directory: URL) -> String {
        "\(name):" + (hasPlace ? directory.path(percentEncoded: false) : "")
    }
}

/// Makes stores by the URL scheme that was chosen last.
enum RegisteredStoreFixture<Store: DataStore>: ConformanceFixture {
    static func makeStore(in directory: URL) throws -> Store {
        let scheme = Conformance.registeredScheme.withLock { $0 }
        let store = try DataStores.make(scheme.url(of: directory))
        guard let store = store as? Store else {
            throw DataStoreError(
                .invalidStoreURL, in: "conformance",
                "The scheme “\(scheme.name)” makes a \(type(of: store)) now, no \(Store.self).")
        }
        return store
    }

    static func rerunCommand(check: String, options: ConformanceOptions) -> String {
        """
        justpersist conformance \(storeName) --only '\(check)' --profile \(options.profile.rawValue) \
        --seed \(options.seed)
        """
    }

    static var storeName: String { Conformance.registeredScheme.withLock { $0.name } + ":" }
}
