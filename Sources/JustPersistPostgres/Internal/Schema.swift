import JustPersist

/// The tables of a store.
struct Schema {
    private let names: Names
    private let connection: Connection

    /// The format of the tables.
    private static let format = 1

    init(_ names: Names, _ connection: Connection) {
        self.names = names
        self.connection = connection
    }

    private enum State {
        case missing
        /// Without tables: someone has made it for the store.
        case empty
        case store
    }

    /// Finds or creates the tables.
    func prepare(_ configuration: PostgresConfiguration) throws(DataStoreError) {
        let state = try state("open")
        if state == .store {
            if !configuration.isReadOnly { try forgetOldCommits() }
            return
        }
        guard configuration.createsIfMissing, !configuration.isReadOnly else {
            throw DataStoreError(
                .storeNotFound, in: "open",
                "The database has no store in the schema “\(names.schema)”.")
        }
        try create(hasSchema: state == .empty)
    }

    /// Drops the tables, if they are those of a store, and the schema, if the store has made it and nothing else is in it.
    func destroy() throws(DataStoreError) {
        guard try state("destroy") == .store else { return }
        let views = try ownsViews() == true ? "DROP SCHEMA \(names.quotedViews) CASCADE;" : ""
        let isOurs = try comment(of: names.schema) == Self.comment
        let schema =
            isOurs
            ? """
            DO $$ BEGIN DROP SCHEMA \(names.quotedSchema); EXCEPTION WHEN dependent_objects_still_exist THEN END $$;
            """ : ""
        try connection.run(
            """
            \(connection.begin) \(views)
            DROP TABLE IF EXISTS \(names.entries), \(names.writer), \(names.commits) CASCADE; \(schema) COMMIT
            """)
    }

    /// The comment by which a schema that a store has made is recognized.
    private static let comment = "A store of JustPersist"

    /// Replaces the views over the store.
    func makeViews(_ views: ViewSchema) throws(DataStoreError) {
        guard try ownsViews() != false else {
            throw DataStoreError(
                .targetNotEmpty, in: "makeViews",
                "The schema “\(names.views)” holds something other than views of a store. Rename it; nothing was changed."
            )
        }
        try connection.run(
            "\(connection.begin) \(views.statements.joined(separator: ";\n")); COMMIT")
    }

    /// Whether the schema of the views holds such views; `nil` if there is none.
    private func ownsViews() throws(DataStoreError) -> Bool? {
        try comment(of: names.views).map { $0 == ViewSchema.comment }
    }

    /// The comment of a schema, which may be empty; `nil` if there is no such schema.
    private func comment(of schema: String) throws(DataStoreError) -> String? {
        let rows = try connection.run(
            "SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = '\(schema)'"
        )
        return rows.first.map { $0[0] ?? "" }
    }

    private func state(_ operation: String) throws(DataStoreError) -> State {
        let rows = try connection.run(
            """
            SELECT n.oid::text, to_regclass('\(names.writer)')::text, \
            (SELECT count(*)::text FROM pg_class AS c WHERE c.relnamespace = n.oid) \
            FROM pg_namespace AS n WHERE n.nspname = '\(names.schema)'
            """)
        guard let row = rows.first else { return .missing }
        if row[1] == nil {
            if row[2] == "0" { return .empty }
            throw notAStore(operation)
        }
        let formats: [[String?]]
        do throws(DataStoreError) {
            formats = try connection.run("SELECT format::text FROM \(names.writer)")
        } catch {
            guard error.serverState == "42703" else { throw error }
            throw notAStore(operation)
        }
        guard let format = formats.first?[0].flatMap({ Int($0) }) else {
            throw notAStore(operation)
        }
        guard format <= Self.format else {
            throw DataStoreError(
                .newerFormat, in: operation,
                """
                The tables of the store have format \(format), and this release reads formats up to \(Self.format). Open it \
                with a newer release; it was left untouched.
                """)
        }
        return .store
    }

    private func notAStore(_ operation: String) -> DataStoreError {
        DataStoreError(
            .notAStore, in: operation,
            "The schema “\(names.schema)” holds something other than a store. Choose another name; nothing was changed."
        )
    }

    private func create(hasSchema: Bool) throws(DataStoreError) {
        let schema =
            hasSchema
            ? ""
            : """
            CREATE SCHEMA IF NOT EXISTS \(names.quotedSchema);
            REVOKE ALL ON SCHEMA \(names.quotedSchema) FROM PUBLIC;
            COMMENT ON SCHEMA \(names.quotedSchema) IS '\(Self.comment)';
            """
        // The lock is of this database, and lets one process at a time create the store.
        try connection.run(
            """
            \(connection.begin)
            SELECT pg_advisory_xact_lock(hashtextextended('JustPersist \(names.schema)', 0));
            \(schema)
            CREATE TABLE IF NOT EXISTS \(names.entries) (k bytea PRIMARY KEY, v bytea NOT NULL) WITH (fillfactor = 80);
            ALTER TABLE \(names.entries) ALTER v SET STORAGE EXTERNAL;
            CREATE TABLE IF NOT EXISTS \(names.writer)
                (one bool PRIMARY KEY DEFAULT true CHECK (one), format int4 NOT NULL);
            CREATE TABLE IF NOT EXISTS \(names.commits)
                (session uuid PRIMARY KEY, number int8 NOT NULL, at timestamptz NOT NULL DEFAULT now());
            INSERT INTO \(names.writer) (format) VALUES (\(Self.format)) ON CONFLICT DO NOTHING;
            COMMIT
            """)
    }

    /// Deletes the rows of commits whose outcome can no longer be asked.
    private func forgetOldCommits() throws(DataStoreError) {
        let old = "FROM \(names.commits) WHERE at < now() - interval '\(Session.daysKept) days'"
        do throws(DataStoreError) {
            guard try connection.run("SELECT 1 \(old) LIMIT 1").isEmpty == false else { return }
            // Under the lock of writers, whose own rows must not be changed meanwhile.
            try connection.run(
                """
                \(connection.begin) LOCK TABLE \(names.writer) IN EXCLUSIVE MODE NOWAIT; DELETE \(old); \
                COMMIT
                """)
        } catch {
            // A later opening deletes them.
            guard connection.isUsable else { throw error }
            try connection.run("ROLLBACK")
        }
    }
}
