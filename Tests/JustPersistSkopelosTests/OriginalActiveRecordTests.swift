import JustPersistSkopelos
import Testing

/// The promises of the original Skopelos' tests of item classes, one test for each of them.
@Suite struct OriginalActiveRecordTests {
    /// Writes, and then reads.
    private func expect(
        _ store: OriginalStore,
        after write: @escaping @Sendable (borrowing DataStoreWriter) -> Void,
        _ read: @escaping @Sendable (borrowing DataStoreReader) -> Void
    ) async throws {
        try await store.withSkopelos { skopelos in
            let steps = Steps()
            skopelos.writeSync { context in write(context) }
                .read { context in
                    read(context)
                    steps.add(0)
                }
            #expect(steps.all == [0])
            #expect(skopelos.errors.isEmpty)
        }
    }

    private static func makeTwo(_ context: borrowing DataStoreWriter) {
        User.SK_create(context)
        User.SK_create(context)
        #expect(User.SK_all(context).count == 2)
    }

    private static func makeJohnAndJane(_ context: borrowing DataStoreWriter) {
        for (firstname, lastname) in [("John", "Doe"), ("Jane", "Doe")] {
            let user = User.SK_create(context)
            user.firstname = firstname
            user.lastname = lastname
        }
    }

    private static func makeThree(_ context: borrowing DataStoreWriter) {
        makeJohnAndJane(context)
        let user = User.SK_create(context)
        user.firstname = "Mark"
        user.lastname = "Smith"
    }

    private static func predicate(_ attribute: String, _ value: String) -> DataStorePredicate {
        do {
            return try DataStorePredicate("%K == %@", attribute, value)
        } catch {
            Issue.record(error)
            return .constant(false)
        }
    }

    @Test(arguments: OriginalStore.allCases) func create(_ store: OriginalStore) async throws {
        try await store.withSkopelos { skopelos in
            skopelos.read { context in #expect(User.SK_numberOfEntities(context) == 0) }
                .writeSync { context in User.SK_create(context) }
                .read { context in #expect(User.SK_numberOfEntities(context) == 1) }
            #expect(skopelos.errors.isEmpty)
        }
    }

    @Test(arguments: OriginalStore.allCases) func remove(_ store: OriginalStore) async throws {
        try await store.withSkopelos { skopelos in
            skopelos.writeSync { context in Self.makeTwo(context) }
                .writeSync { context in
                    User.SK_first(context)?.SK_remove(context)
                    #expect(User.SK_numberOfEntities(context) == 1)
                }
                .read { context in #expect(User.SK_numberOfEntities(context) == 1) }
            #expect(skopelos.errors.isEmpty)
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func removeInSameTransactionalBlock(_ store: OriginalStore) async throws {
        try await expect(store) { context in
            let user = User.SK_create(context)
            User.SK_create(context)
            #expect(User.SK_numberOfEntities(context) == 2)
            user.SK_remove(context)
            #expect(User.SK_numberOfEntities(context) == 1)
        } _: { context in
            #expect(User.SK_numberOfEntities(context) == 1)
        }
    }

    @Test(arguments: OriginalStore.allCases) func removeAll(_ store: OriginalStore) async throws {
        try await expect(store) { context in
            Self.makeTwo(context)
            User.SK_removeAll(context)
            #expect(User.SK_numberOfEntities(context) == 0)
        } _: { context in
            #expect(User.SK_numberOfEntities(context) == 0)
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func numberOfEntities(_ store: OriginalStore) async throws {
        try await expect(store, after: Self.makeTwo) { context in
            #expect(User.SK_numberOfEntities(context) == 2)
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func numberOfEntitiesWithPredicate(_ store: OriginalStore) async throws {
        try await expect(store, after: Self.makeJohnAndJane) { context in
            let john = Self.predicate("firstname", "John")
            #expect(User.SK_numberOfEntities(john, context: context) == 1)
        }
    }

    @Test(arguments: OriginalStore.allCases) func all(_ store: OriginalStore) async throws {
        try await expect(store, after: Self.makeTwo) { context in
            #expect(User.SK_all(context).count == 2)
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func allWithPredicate(_ store: OriginalStore) async throws {
        try await expect(store, after: Self.makeJohnAndJane) { context in
            let users = User.SK_all(Self.predicate("firstname", "John"), context: context)
            #expect(users.map(\.firstname) == ["John"])
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func allWithPredicateSortedBy(_ store: OriginalStore) async throws {
        try await expect(store, after: Self.makeThree) { context in
            let users = User.SK_all(
                context, predicate: Self.predicate("lastname", "Doe"), sortTerm: "firstname",
                ascending: true)
            #expect(users.map(\.firstname) == ["Jane", "John"])
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func allWhereAttributeIsEqualToSortedBy(_ store: OriginalStore) async throws {
        try await expect(store, after: Self.makeThree) { context in
            for ascending in [true, false] {
                let users = User.SK_all(
                    "lastname", isEqualTo: "Doe", sortTerms: "firstname", ascending: ascending,
                    context: context)
                #expect(
                    users.map(\.firstname) == (ascending ? ["Jane", "John"] : ["John", "Jane"]))
            }
        }
    }

    @Test(arguments: OriginalStore.allCases) func first(_ store: OriginalStore) async throws {
        try await expect(store, after: Self.makeJohnAndJane) { context in
            #expect(User.SK_first(context) != nil)
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func firstWithPredicate(_ store: OriginalStore) async throws {
        try await expect(store, after: Self.makeJohnAndJane) { context in
            let user = User.SK_first(
                Self.predicate("lastname", "Doe"), sortTerms: "firstname", ascending: true,
                context: context)
            #expect(user?.firstname == "Jane")
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func firstWhereAttribute(_ store: OriginalStore) async throws {
        try await expect(store, after: Self.makeJohnAndJane) { context in
            #expect(User.SK_first("lastname", isEqualTo: "Doe", context: context) != nil)
            #expect(User.SK_first("lastname", isEqualTo: "Smith", context: context) == nil)
        }
    }
}
