import CPostgres
import JustPersist
import JustPersistRecords

extension DataStoreError {
    /// The SQLSTATE of an error that the server reported; `nil` for any other error.
    var serverState: String? {
        guard let engine, engine.name == PostgresEngine.name, engine.text.hasPrefix("SQLSTATE "),
            // A failure of libpq itself has no state.
            !engine.text.hasPrefix("SQLSTATE :")
        else { return nil }
        return String(engine.text.dropFirst(9).prefix(5))
    }

    /// The error for a failed result.
    init(_ result: borrowing ResultHandle, in operation: String) {
        // PG_DIAG_SQLSTATE and PG_DIAG_MESSAGE_PRIMARY: character constants, which Swift does not import.
        let state = result.report(Int(UInt8(ascii: "C"))) ?? ""
        let text = result.report(Int(UInt8(ascii: "M"))) ?? ""
        self.init(serverState: state, text: text, in: operation)
    }

    /// The SQLSTATEs in libpq's verbose text: `FATAL:  28P01: …`, with the severity in any language.
    static func states(inVerbose text: String) -> [String] {
        text.matches(of: #/: {2}([0-9A-Z]{5}): /#).map { String($0.1) }
    }

    init(serverState state: String, text: String, in operation: String) {
        let (code, message) = Self.meaning(of: state, in: operation)
        self.init(
            code, in: operation, message,
            engine: EngineFailure(name: PostgresEngine.name, text: "SQLSTATE \(state): \(text)"))
    }

    /// The code and the message for an SQLSTATE, by its class if it is not listed itself.
    private static func meaning(of state: String, in operation: String) -> (Code, String) {
        switch (state, state.prefix(2)) {
        case ("55P03", _):
            (
                .busy,
                "Another process writes to the store, and has not ended in time. Nothing was changed; try again."
            )
        case ("53300", _):
            (
                .busy,
                "The server accepts no more connections. Use fewer with the option “connections”, or allow more there."
            )
        case ("42P01", _), ("3F000", _):
            (.storeDeleted, "The store was deleted from the database while it was open.")
        case ("3D000", _): (.storeNotFound, "The server has no database of that name.")
        case ("42501", _), (_, "28"):
            (.accessDenied, "The server does not allow the user to do that, or to connect.")
        case ("25006", _):
            (
                .readOnly,
                "The server accepts no writes: it is a standby, or its transactions are read-only."
            )
        case ("53100", _):
            (
                .storageFull,
                "The server's disk is full. Nothing was changed, and committed data is intact."
            )
        case ("25P03", _):
            (
                .connectionLost,
                """
                The server has ended a block that asked nothing for longer than the option “idleTimeout” allows. Nothing \
                was committed.
                """
            )
        case (_, "08"), ("57P01", _), ("57P02", _), ("57P03", _), ("57P05", _):
            (.connectionLost, lostMessage(in: operation))
        case (_, "XX") where state != "XX000":
            (
                .corrupted,
                "The server reports that its files are damaged. Restore the database from a backup."
            )
        case (_, "54"): (.limitExceeded, "The change is larger than the server accepts.")
        default:
            (.storageFailure, "The server could not carry out a statement. Nothing was changed.")
        }
    }

    private static func lostMessage(in operation: String) -> String {
        """
        The connection to the PostgreSQL server was lost, or none could be made. \(consequence(ofLossIn: operation))
        """
    }

    /// What the loss of the connection in a call leaves, and what to do next.
    static func consequence(ofLossIn operation: String) -> String {
        switch operation {
        case "write": "Nothing was committed; try again."
        case "outcome": "The outcome of the commit is not known yet; ask again."
        case "destroy": "The store is deleted completely or not at all; try again."
        case "makeViews": "The views are all replaced, or all as they were; try again."
        default: "Try again."
        }
    }

    /// The error for a connection that is lost, or could not be made, with libpq's own text.
    static func connectionLost(_ text: String, in operation: String) -> DataStoreError {
        DataStoreError(
            .connectionLost, in: operation, lostMessage(in: operation),
            engine: EngineFailure(
                name: PostgresEngine.name,
                text: text.split(whereSeparator: \.isNewline).joined(separator: " ")))
    }
}
