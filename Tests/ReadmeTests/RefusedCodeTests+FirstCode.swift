extension RefusedCodeTests {
    /// Invalid item classes, and the compiler's diagnostics at their lines.
    static let refusedDeclarations = [
        Refused(
            "an item in an attribute", of: .file, holder("var b: B = B()"), "write Author?"),
        Refused(
            "items in an array that does not begin empty", of: .file, holder("var b: [B] = [B()]"),
            "write [Book] = []"),
        Refused(
            "items in a set", of: .file, holder("var b: Set<B>?"), "write [Book] = []"),
        Refused(
            "a weak property", of: .file, holder("weak var b: B?"),
            "refer to another item with an ItemReference?"),
        Refused(
            "an enum that compiled silently", of: .file,
            "enum Outer { @Item private enum A { case a } }",
            "Code.swift:6:14: error: @Item makes items of final classes only"),
        Refused(
            "an enum of errors that compiled silently", of: .file, "@Item enum A: Error { case a }",
            "Code.swift:6:1: error: @Item makes items of final classes only"),
        Refused(
            "a structure", of: .file, "@Item struct A { var a = 1 }",
            "Code.swift:6:1: error: @Item makes items of final classes only: declare this as a final class"
        ),
        Refused(
            "an actor", of: .file, "@Item actor A { var a = 1 }",
            "Code.swift:6:1: error: @Item makes items of final classes only: declare this as a final class"
        ),
        Refused(
            "a protocol", of: .file, "@Item protocol A { var a: Int { get } }",
            "Code.swift:6:1: error: @Item makes items of final classes only: attach it to the final class"
        ),
        Refused(
            "an extension", of: .file, "@Item extension Int {}",
            "Code.swift:6:1: error: 'extension' macro cannot be attached to extension"),
        Refused(
            "an index over no attribute, which was shown at no line", of: .file,
            #"""
            @Item final class A {
                #Index<A>([\.name], [\.nope])
                var name: String?
            }
            """#, "Code.swift:7:26: error: #Index is over attributes of this class"),
        Refused(
            "an item class on the main actor", of: .file,
            "@MainActor @Item final class A { var a = 1 }", "remove @MainActor"),
        Refused(
            "a Codable structure on the main actor", of: .file,
            """
            struct Address: Codable { var city = "" }
            @Item final class A { var address: Address? }
            """, "main actor-isolated conformance of 'Address' to 'Decodable'",
            options: ["-default-isolation", "MainActor"]),
    ]

    /// Calls in the form of the original library that need an edit, and calls that block although they seem to suspend.
    static let refusedCalls = [
        Refused(
            "a stored read block",
            """
            let block: (DataStoreReadAccessor) -> Void = { accessor in _ = accessor }
            store.read(block)
            """, "write 'borrowing DataStoreReader'"),
        Refused(
            "a stored write block",
            """
            let block: (DataStoreReadWriteAccessor) -> Void = { accessor in _ = accessor }
            store.writeSync(block)
            """, "write 'borrowing DataStoreWriter'"),
        Refused(
            "a queued block that names its accessor's type",
            """
            store.writeAsync({ (accessor: DataStoreReadWriteAccessor) -> Void in }, completion: nil)
            """, "write 'borrowing DataStoreWriter'"),
        Refused(
            "a function that is given the accessor of a read block",
            """
            func count(_ accessor: DataStoreReadAccessor) -> Int {
                accessor.countItems(forRequest: DataStoreRequest(itemType: Restaurant.self))
            }
            store.read { accessor in
                let found = count(accessor)
                print(found)
            }
            """, "write 'borrowing DataStoreReader'"),
        Refused(
            "a function that is given the accessor of a throwing block",
            """
            func make(in db: any DataStoreReadWriteAccessor) throws { try db.deleteAll(Restaurant.self) }
            try await store.write { db in try make(in: db) }
            """, "write 'borrowing DataStoreWriter'"),
        Refused(
            "a generic function that is given the accessor",
            """
            func make(in db: some DataStoreReadWriteAccessor) { db.deleteAllItems(ofMutableType: Restaurant.self) }
            store.writeSync { db in make(in: db) }
            """, "write 'borrowing DataStoreWriter'"),
        Refused(
            "a function for both kinds of blocks",
            """
            func count(_ accessor: DataStoreReadAccessor) -> Int {
                accessor.countItems(forRequest: DataStoreRequest(itemType: Restaurant.self))
            }
            store.writeSync { accessor in print(count(accessor)) }
            """, "write 'borrowing some DataStoreReadAccessor & ~Copyable'"),
        Refused(
            "a stored block for Skopelos", of: .file,
            """
            import JustPersistSkopelos

            func use(_ skopelos: Skopelos, _ block: (DataStoreReadWriteAccessor) -> Void) {
                skopelos.writeSync(block)
            }
            """, "write 'borrowing DataStoreWriter'"),
        Refused(
            "a layer of the original library's shape",
            """
            struct Layer {
                let store: any DataStore
                func writeAsync(_ block: @escaping (DataStoreReadWriteAccessor) -> Void, completion: (() -> Void)?) {
                    store.writeAsync(block, completion: completion)
                }
            }
            """, "write 'borrowing DataStoreWriter'"),
        Refused(
            "a blocking write in a task",
            "Task { try store.write { db in try db.deleteAll(Restaurant.self) } }",
            "asynchronous contexts; this form blocks. In async functions write"),
        Refused(
            "a write at the top level that does not suspend", of: .main,
            script("try await store.write { db in print(try db.schemas()) }"),
            "asynchronous contexts; this form blocks. In async functions write"),
        Refused(
            "a write at the top level that cannot throw", of: .main,
            script(#"try await store.write { db in print("") }"#),
            "at the top level of a file, 'try store.writeSync'"),
        Refused(
            "a read at the top level that does not suspend", of: .main,
            script("print(try await store.read { db in try db.schemas().count })"),
            "at the top level of a file, 'try store.readSync'"),
        Refused(
            "a write at the top level in the Swift 5 mode", of: .main,
            script("try await store.write { db in print(try db.schemas()) }"),
            "at the top level of a file, 'try store.writeSync'", options: ["-swift-version", "5"]),
    ]

    private static func holder(_ property: String) -> String {
        """
        @Item final class B: Hashable {
            var name: String?
            static func == (left: B, right: B) -> Bool { left === right }
            func hash(into hasher: inout Hasher) { hasher.combine(uniqueToken) }
        }
        @Item final class A { \(property) }
        """
    }

    private static func script(_ call: String) -> String {
        """
        func open() -> any DataStore { fatalError() }
        let store = open()
        \(call)
        """
    }
}
