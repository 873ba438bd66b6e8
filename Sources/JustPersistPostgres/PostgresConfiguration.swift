public import JustPersist

/// The configuration of a store in a PostgreSQL database.
public struct PostgresConfiguration: Sendable, Hashable {
    /// The servers, in the order in which they are tried: names, addresses, or directories of Unix sockets.
    ///
    /// If there is none, libpq chooses one: by the environment variable `PGHOST`, or the socket of this machine.
    public var hosts: [Host]
    /// The name of the database role; `nil` for libpq's choice.
    ///
    /// A password comes from `PGPASSWORD` or a password file, as libpq documents, and is never shown.
    public var user: String?
    /// The database; `nil` for libpq's choice.
    public var database: String?
    /// The name of the store: 1 to 59 lowercase letters, digits and underscores.
    ///
    /// The store is the schema `jp_` followed by this name.
    public var store: String
    /// How the connection is encrypted, and how the server is verified.
    ///
    /// Encryption by GSSAPI is used only if the environment variable `PGGSSENCMODE` asks for it.
    public var encryption: Encryption
    /// What keeps a connection of the server for the program.
    public var pooling: Pooling
    /// The name that the server shows for the connections of the program.
    public var applicationName: String
    /// The events that a committed write survives.
    public var durability: Durability
    /// Whether every write is refused.
    public var isReadOnly: Bool
    /// Whether a store that does not exist is created.
    public var createsIfMissing: Bool
    /// The amount of history that the store keeps, for streams of changes; `nil` for the amount that it keeps already.
    public var changeLog: ChangeLogLength?
    /// The number of connections that blocks share.
    ///
    /// Blocks that begin inside others use further ones, and so does a block that has waited a second for a connection.
    public var connections: Int
    /// The seconds for which a write block waits for the writers of other processes, before it is refused with `.busy`.
    public var lockTimeout: Int
    /// The seconds for which a block, or the opening of a store, waits for a server that can be reached.
    public var connectTimeout: Int
    /// The seconds for which a block waits for a server that keeps the connection open, without a byte from it or to it.
    ///
    /// The connection is then given up: a read block fails with `.connectionLost`, and a commit is looked up on a new
    /// connection. The time that ``lockTimeout`` allows is added where the server may wait for a lock. A wait for a standby
    /// counts, so a write ends although no standby answers.
    public var answerTimeout: Int
    /// The seconds for which a write waits for the outcome of a commit whose connection was lost, or whose standby was not awaited.
    public var outcomeTimeout: Int
    /// The seconds after which the server ends a block that has not asked it anything, and releases a writer's lock.
    public var idleTimeout: Int

    /// A configuration; the defaults suit most stores.
    public init(
        hosts: [Host] = [], user: String? = nil, database: String? = nil, store: String = "default",
        encryption: Encryption = .prefer, pooling: Pooling = .session,
        applicationName: String = "JustPersist",
        durability: Durability = .full, isReadOnly: Bool = false, createsIfMissing: Bool = true,
        changeLog: ChangeLogLength? = nil, connections: Int = 8, lockTimeout: Int = 30,
        connectTimeout: Int = 10, answerTimeout: Int = 60, outcomeTimeout: Int = 60,
        idleTimeout: Int = 600
    ) {
        self.hosts = hosts
        self.user = user
        self.database = database
        self.store = store
        self.encryption = encryption
        self.pooling = pooling
        self.applicationName = applicationName
        self.durability = durability
        self.isReadOnly = isReadOnly
        self.createsIfMissing = createsIfMissing
        self.changeLog = changeLog
        self.connections = connections
        self.lockTimeout = lockTimeout
        self.connectTimeout = connectTimeout
        self.answerTimeout = answerTimeout
        self.outcomeTimeout = outcomeTimeout
        self.idleTimeout = idleTimeout
    }

    /// A server.
    public struct Host: Sendable, Hashable {
        /// A name, an address, or the directory of a Unix socket.
        public var name: String
        /// The port; `nil` for the usual one.
        public var port: Int?

        /// A server.
        public init(_ name: String, port: Int? = nil) {
            self.name = name
            self.port = port
        }
    }

    /// What keeps a connection of the server: poolers such as pgbouncer have modes of these names.
    public enum Pooling: String, Sendable, Hashable, CaseIterable {
        /// A session: there is no pooler, or one that gives each client a connection of its own.
        case session
        /// A transaction: a pooler may give each transaction another connection.
        ///
        /// Each transaction then sends its settings and the text of its statements.
        case transaction
    }

    /// The modes of encryption, with libpq's names.
    public enum Encryption: String, Sendable, Hashable, CaseIterable {
        /// No encryption.
        case disable
        /// Encryption if the server demands it.
        case allow
        /// Encryption if the server supports it.
        case prefer
        /// Encryption, with any server.
        case require
        /// Encryption, with a server whose certificate a trusted authority has signed.
        case verifyCA = "verify-ca"
        /// Encryption, with a server whose certificate a trusted authority has signed for its name.
        case verifyFull = "verify-full"
    }
}
