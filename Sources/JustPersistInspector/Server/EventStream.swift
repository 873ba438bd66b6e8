import Foundation
import JustPersist

/// Events that a page receives while it is open.
///
/// The producer never waits for the page: if the page is too slow, the oldest events are dropped, and the last ones
/// arrive.
struct EventStream: Sendable {
    private let continuation: AsyncStream<Data>.Continuation

    /// Sends an event; its value is JSON.
    func send(_ name: String, _ value: some Encodable) {
        guard let json = try? JSONEncoder.forPages().encode(value) else { return }
        continuation.yield(Data("event: \(name)\ndata: ".utf8) + json + Data("\n\n".utf8))
    }

    /// An answer of which `produce` sends the events, until it returns or the client has disconnected.
    static func response(
        _ produce: @escaping @Sendable (EventStream) async throws -> Void
    ) -> InspectorResponse {
        let headers = [(name: "Content-Type", value: "text/event-stream")]
        return InspectorResponse(
            200, headers,
            .stream { write in
                let (pieces, continuation) = AsyncStream.makeStream(
                    of: Data.self, bufferingPolicy: .bufferingNewest(1024))
                // Something arrives at the beginning, so that a page knows that it is connected.
                continuation.yield(Data(": \n\n".utf8))
                await withTaskGroup(of: Void.self) { group in
                    group.addTask {
                        let events = EventStream(continuation: continuation)
                        do { try await produce(events) } catch {
                            events.send("failure", Failure(error))
                        }
                        continuation.finish()
                    }
                    group.addTask {
                        // A write is how the server notices that the client has disconnected.
                        while (try? await Task.sleep(for: .seconds(5))) != nil {
                            continuation.yield(Data(": \n\n".utf8))
                        }
                    }
                    do { for await piece in pieces { try await write(piece) } } catch {
                        // The client has disconnected.
                    }
                    group.cancelAll()
                }
            })
    }
}

/// An error as the page shows it.
struct Failure: Encodable {
    struct Location: Encodable {
        let text: String
        let offset: Int
    }

    let code: String
    let message: String
    /// The place of the fault in a predicate, in characters.
    let location: Location?

    init(_ error: any Error) {
        guard let error = error as? DataStoreError else {
            (code, message, location) = ("failure", "\(error)", nil)
            return
        }
        code = error.code.rawValue
        message = error.message
        location = error.location.map { Location(text: $0.text, offset: $0.offset) }
    }
}

/// Runs work that blocks, on a thread outside of the cooperative pool.
///
/// ``WorkLimit/check()`` ends the work if the task is cancelled. Stores call it, too.
func inThread<Value: Sendable>(
    _ work: @escaping @Sendable () throws -> Value
) async throws -> Value {
    let cancellation = Cancellation()
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
            WaitingThreads.run {
                continuation.resume(
                    with: Result { try WorkLimit.withCancellation(cancellation, work) }
                        .mapError(WorkLimit.leavingStore))
            }
        }
    } onCancel: {
        cancellation.request()
    }
}
