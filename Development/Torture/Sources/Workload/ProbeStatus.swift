/// How a probe ends that could do its work, or not.
public enum ProbeStatus: Int32, Sendable {
    /// The store refused again and again; as it must, while a fault lasts.
    case gaveUp = 3
    /// All blocks were tried, and closing the store threw.
    case closeRefused = 4
    /// The store answered what was not written.
    case wrongAnswer = 70
    /// The probe was started wrongly.
    case misused = 64
}
