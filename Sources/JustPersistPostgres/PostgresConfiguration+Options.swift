import JustPersist

extension PostgresConfiguration {
    /// The options of this backend in the URL of a store.
    static let options: [DataStoreOption<PostgresConfiguration>] = [
        .text("store", \.store, example: "orders", "The name of the store in the database."),
        .choice(
            "sslmode", \.encryption,
            "How the connection is encrypted, and how the server is verified, in libpq's words."),
        .choice(
            "pooling", \.pooling,
            "What keeps a connection of the server: transaction for a pooler in its mode of that name."
        ),
        .text(
            "applicationName", \.applicationName, example: "orders-service",
            "The name that the server shows for the program's connections."),
        .count("connections", \.connections, in: 1...1_000, "How many connections blocks share."),
        .count(
            "lockTimeout", \.lockTimeout, in: 1...86_400,
            "For how many seconds a write waits for other processes."),
        .count(
            "connectTimeout", \.connectTimeout, in: 1...86_400,
            "For how many seconds a block waits for a server that can be reached."),
        .count(
            "answerTimeout", \.answerTimeout, in: 1...86_400,
            "For how many seconds a block waits for a server that is connected and silent."),
        .count(
            "outcomeTimeout", \.outcomeTimeout, in: 1...86_400,
            "For how many seconds a write waits for the outcome of an interrupted commit."),
        .count(
            "idleTimeout", \.idleTimeout, in: 1...86_400,
            "After how many seconds without a question the server ends a block."),
    ]

    /// A configuration with the options of any store.
    func with(_ options: DataStoreOptions) -> PostgresConfiguration {
        var configuration = self
        configuration.durability = options.durability
        configuration.isReadOnly = options.isReadOnly
        configuration.createsIfMissing = options.createsIfMissing
        configuration.changeLog = options.changeLog
        return configuration
    }
}
