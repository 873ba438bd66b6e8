/// The engines under trial, by the scheme of their stores.
public enum Engine: String, CaseIterable, Sendable {
    case lmdb, leveldb
}
