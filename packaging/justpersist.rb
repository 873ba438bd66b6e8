# The formula for Homebrew. With a release: set the repository's address, the tag and the checksum of the archive, and put
# this file into a tap, as Formula/justpersist.rb.
class Justpersist < Formula
  desc "Look into data stores, fill them, and move them between backends"
  homepage "https://example.com/JustPersist"
  url "https://example.com/JustPersist/archive/refs/tags/0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "Apache-2.0"
  head "https://example.com/JustPersist.git", branch: "main"

  depends_on "pkgconf" => :build
  depends_on xcode: ["26.0", :build]
  depends_on "leveldb"
  depends_on "libcsv"
  depends_on "libpq"
  depends_on "lmdb"
  depends_on macos: :sequoia
  depends_on "zstd"

  def install
    system "swift", "build", "--disable-sandbox", "-c", "release", "--product", "justpersist"
    bin.install ".build/release/justpersist"
    (man1/"justpersist.1").write Utils.safe_popen_read(bin/"justpersist", "generate-manual")
    generate_completions_from_executable(bin/"justpersist", "--generate-completion-script")
  end

  test do
    (testpath/"places.jsonl").write %Q({"name":"Thai Garden","stars":4}\n)
    system bin/"justpersist", "import", "lmdb:#{testpath}/store", "Place", "places.jsonl"
    assert_match "Thai Garden", shell_output("#{bin}/justpersist query lmdb:#{testpath}/store Place --where 'stars > 3'")
  end
end
