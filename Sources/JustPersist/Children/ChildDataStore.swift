/// A child store, made by ``DataStore/makeChildDataStore()``: the original library's name for it.
///
/// A child store is an ordinary ``DataStore``. ``DataStore/parent`` returns the store that it is a child of.
public typealias ChildDataStore = DataStore
