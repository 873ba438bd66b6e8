/// One value that is passed from the thread that produces it to the thread that waits for it.
final class Handover<Value: Sendable>: Sendable {
    private let value = Locked<Value?>(nil)

    func put(_ newValue: Value) { value.withLock { $0 = newValue } }

    func take() -> Value? { value.withLock { $0.take() } }
}
