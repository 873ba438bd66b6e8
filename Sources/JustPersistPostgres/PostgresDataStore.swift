@_exported public import JustPersist
@_exported public import JustPersistRecords

/// A data store in a PostgreSQL database, which programs on several machines use together.
///
/// ```swift
/// let store = try PostgresDataStore.open("postgres://app@db.example.com/app?store=orders")
/// ```
///
/// A store is a schema of the database. The article *More than one machine* describes its guarantees.
public typealias PostgresDataStore = RecordStore<PostgresEngine>

extension RecordStore where Engine == PostgresEngine {
    /// A closed store, which is created in the database when it is opened.
    public convenience init(
        configuration: PostgresConfiguration, threading: DataStoreThreading = .callingThread,
        errorHandler: DataStoreErrorHandler? = nil
    ) {
        self.init(
            engine: PostgresEngine(configuration: configuration), threading: threading,
            changeLog: configuration.changeLog, errorHandler: errorHandler)
    }

    /// Opens the store that a URL names: `postgres://user@host:port/database?store=name&sslmode=verify-full`.
    ///
    /// The article *Choosing a backend* lists the options. The URL must not contain a password: libpq takes it from the
    /// environment variable `PGPASSWORD` or from a password file.
    ///
    /// - Throws: `.invalidStoreURL`, `.connectionLost`, `.accessDenied`, `.storeNotFound`, `.notAStore`, `.unsupported`
    ///   for a server without the durability, or another failure of the server.
    public static func open(
        _ url: String, options: DataStoreOptions = DataStoreOptions()
    ) throws -> PostgresDataStore {
        register()
        guard let store = try DataStores.make(url, options: options) as? PostgresDataStore else {
            throw DataStoreError(
                .invalidStoreURL, in: "open",
                "The URL of a PostgreSQL store begins with postgres://.")
        }
        try store.open()
        return store
    }

    /// Registers this backend for `DataStores.open("postgres://user@host/database?store=name")`.
    ///
    /// Its URLs take the options of ``PostgresConfiguration``; the article *Choosing a backend* lists them.
    public static func register() {
        DataStores.register(
            scheme: "postgres", settings: PostgresConfiguration(),
            options: PostgresConfiguration.options
        ) { location, options, configuration throws(DataStoreError) in
            let configuration = try configuration.located(at: location).with(options)
            try configuration.validate()
            return PostgresDataStore(
                configuration: configuration, threading: options.threading,
                errorHandler: options.errorHandler)
        }
    }

    /// The outcome of a commit whose error had the code `.commitOutcomeUnknown`.
    ///
    /// Any store over the same schema whose role may write can be asked, in any process and on any machine, for
    /// `outcomesKept` days.
    ///
    /// - Parameter token: The `commitToken` of the error.
    /// - Throws: `.connectionLost` if no server can be reached, `.busy` if the server still works on the commit or
    ///   no standby confirms it, `.unsupported` if the server's settings do not keep commits, and `.invalidRequest` if the
    ///   token is not of such a store or is too old.
    public func outcome(of token: CommitToken) throws(DataStoreError) -> CommitOutcome {
        try engine.outcome(of: token)
    }

    /// Makes a view over the items of each type, for programs that speak SQL, and returns the names of the views.
    ///
    /// The views are in a schema of their own, `jpv_` followed by the name of the store; those that are there are replaced.
    /// A view has a column for each attribute, `_id` with the id of the item, and `_record` with the stored bytes. The
    /// columns have the type that the declaration of the attribute allows, or else `text`; a value of another kind is NULL.
    /// `destroy()` deletes the views.
    ///
    /// - Throws: `.targetNotEmpty` if the schema holds something else, `.accessDenied`, `.readOnly`, or another failure of
    ///   the server.
    @discardableResult
    public func makeViews() throws -> [String] {
        var views = ViewSchema(engine.names)
        try readRecords { records in
            for type in records.types { views.add(type, records.fields(of: type)) }
        }
        try engine.makeViews(views)
        return views.views
    }

    /// For how many days the outcome of a commit can be asked.
    public static var outcomesKept: Int { Session.daysKept }
}
