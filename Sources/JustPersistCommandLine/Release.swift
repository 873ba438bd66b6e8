/// The release of the programs, for the option --version and the manual.
package enum Release {
    /// The version in the format of semantic versioning.
    package static let version = "0.1.0-dev"
}
