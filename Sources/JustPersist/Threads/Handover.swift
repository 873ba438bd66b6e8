/// One value passed from the thread that makes it to the one that needs it.
final class Handover<Value: Sendable>: Sendable {
    private let value = Locked<Value?>(nil)

    func put(_ newValue: Value) { value.withLock { $0 = newValue } }

    func take() -> Value? { value.withLock { $0.take() } }
}
