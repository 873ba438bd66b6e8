/// A store that was made by ``DataStore/makeChildDataStore()``: the original library's name for it.
///
/// Any store may be the child of another, so this is ``DataStore`` itself; ``DataStore/parent`` tells whose child
/// a store is.
public typealias ChildDataStore = DataStore
