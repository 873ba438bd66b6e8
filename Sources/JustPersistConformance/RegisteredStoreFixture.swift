public import Foundation
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
        let place = FileManager.default.temporaryDirectory
            .appending(path: "conformance-\(UUID().uuidString)")
        // Some stores have no path, such as those in memory.
        let hasPlace =
            (try? DataStores.make("\(scheme):\(place.path(percentEncoded: false))")) != nil
        return try fixture(named: "\(scheme):") { directory in
            "\(scheme):" + (hasPlace ? directory.path(percentEncoded: false) : "")
        }
    }

    /// A fixture for stores with URLs of any form, under the conditions of ``fixture(scheme:)``.
    ///
    /// - Parameters:
    ///   - name: The name of the store in reports.
    ///   - keepsFiles: Whether the store keeps its files in the directory: see ``ConformanceFixture/keepsFiles``.
    ///   - url: Makes the URL of the store in a directory.
    public static func fixture(
        named name: String, keepsFiles: Bool = true, url: @escaping @Sendable (URL) -> String
    ) throws -> any ConformanceFixture.Type {
        func registered<Store: DataStore>(_: Store) -> any ConformanceFixture.Type {
            RegisteredStoreFixture<Store>.self
        }
        let place = FileManager.default.temporaryDirectory
            .appending(path: "conformance-\(UUID().uuidString)")
        let store = try DataStores.make(url(place))
        registeredStores.withLock {
            $0 = RegisteredStores(name: name, keepsFiles: keepsFiles, url: url)
        }
        return registered(store)
    }

    fileprivate static let registeredStores = Locked(
        RegisteredStores(name: "", keepsFiles: true, url: { _ in "" }), isProcessWide: true)
}

/// The stores that were chosen last.
private struct RegisteredStores: Sendable {
    let name: String
    let keepsFiles: Bool
    let url: @Sendable (URL) -> String
}

/// Makes stores by the URLs that were chosen last.
enum RegisteredStoreFixture<Store: DataStore>: ConformanceFixture {
    static func makeStore(in directory: URL) throws -> Store {
        let stores = Conformance.registeredStores.withLock { $0 }
        let store = try DataStores.make(stores.url(directory))
        guard let store = store as? Store else {
            throw DataStoreError(
                .invalidStoreURL, in: "conformance",
                "“\(stores.name)” makes a \(type(of: store)) now, no \(Store.self).")
        }
        return store
    }

    static var keepsFiles: Bool { Conformance.registeredStores.withLock { $0.keepsFiles } }

    static func rerunCommand(check: String, options: ConformanceOptions) -> String {
        """
        justpersist conformance \(storeName) --only '\(check)' --profile \(options.profile.rawValue) \
        --seed \(options.seed)
        """
    }

    static var storeName: String { Conformance.registeredStores.withLock { $0.name } }
}
