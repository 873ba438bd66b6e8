# `make demo` shows the main functions on real data; `make test` runs the tests.
.PHONY: demo test test-root test-postgres test-cluster trials-postgres test-developer test-plugin test-projects test-torture examples conformance torture simulate coverage fuzz lint format docs site bench sanitize stress inspect-test setup install install-all uninstall clean

# The suite kills processes to test damage and crashes; their backtraces would only slow it down.
export SWIFT_BACKTRACE ?= enable=no
# Swift Testing would start all tests at once. A test that waits would then go on only after hundreds of others.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 6

# The code that the root package does not build, listed one by one to leave out build products.
NESTED = $(foreach package,KitTests MacroTests Benchmarks Fuzzing Torture,\
	$(wildcard $(addprefix Development/$(package)/,Package.swift Sources Tests))) \
	Examples/NewProjects/Package.swift Examples/NewProjects/Sources \
	Examples/RestaurantServer/Package.swift Examples/RestaurantServer/Sources Examples/RestaurantServer/Tests \
	Examples/SQLiteDataStore/Package.swift Examples/SQLiteDataStore/Sources Examples/SQLiteDataStore/Tests \
	Examples/SortedArrayEngine/Package.swift Examples/SortedArrayEngine/Sources Examples/SortedArrayEngine/Tests

demo:
	scripts/demo

# In sequence, because all share the root package's build directory, and SwiftPM allows one build at a time in it.
test: test-root test-postgres test-developer test-plugin test-projects examples test-torture

# The tests for every change, which take some minutes.
test-root: setup
	swift build --build-tests
	swift test --skip-build --disable-xctest

# The kit starts processes all the time, and the other tests start servers. Started at the same moment, one inherits the
# descriptor by whose end Foundation notices the end of the other, and both wait.
POSTGRES_KIT = swift test --skip-build --disable-xctest --filter PostgresConformance
POSTGRES_TESTS = swift test --skip-build --disable-xctest --filter JustPersistPostgresTests --skip PostgresConformance

# The store in PostgreSQL, with a server of its own. Without a server, the line says so, and the other tests go on.
test-postgres: setup
	swift build --build-tests
	@scripts/with-postgres sh -c '$(POSTGRES_KIT) && $(POSTGRES_TESTS)' || { \
		status=$$?; if [ $$status -ne 69 ]; then exit $$status; fi; \
		echo "The tests of the PostgreSQL store were NOT RUN: no server could be started." >&2; }

# Failover under load: three servers with Patroni and etcd, of which the primary is killed, and cut off from the network.
# KILLS=50 CUTS=20 for longer: 40 minutes. Installs what is missing; needs root.
KILLS ?= 5
CUTS ?= 5
test-cluster: setup
	swift build --build-tests
	@JP_KILLS=$(KILLS) JP_CUTS=$(CUTS) scripts/with-postgres-cluster \
		swift test --skip-build --disable-xctest --filter JustPersistPostgresTests.ClusterTests || { \
		status=$$?; if [ $$status -ne 69 ]; then exit $$status; fi; \
		echo "The failover trial was NOT RUN: no cluster could be started." >&2; }

# The trials of `make test-postgres` at full length, and the conformance kit in its full profile: hours.
trials-postgres: setup
	swift build --build-tests
	JP_LONG=1 scripts/with-postgres swift test --skip-build --disable-xctest \
		--filter 'JustPersistPostgresTests.(CommitOutcomeTests|ProcessesTests|LiveMigrationTests)'
	JP_LONG=1 scripts/with-postgres swift test --skip-build --disable-xctest \
		--filter 'JustPersistPostgresTests.InspectorTests'
	scripts/with-postgres --pooler swift test --skip-build --disable-xctest \
		--filter 'JustPersistPostgresTests.(StoreTests|ViewTests|SilenceTests|CommitOutcomeTests/aConnection)'
	scripts/with-postgres --secret swift test --skip-build --disable-xctest \
		--filter 'JustPersistPostgresTests.(StoreTests|ViewTests|SilenceTests|CommitOutcomeTests/(aConnection|sessions))'
	scripts/with-postgres sh -c '.build/debug/justpersist-conformance "$$JP_POSTGRES_URL" --profile full --timeout 300'
	scripts/with-postgres --pooler sh -c '.build/debug/justpersist-conformance "$$JP_POSTGRES_URL" --profile full --timeout 300'

# The conformance kit with its sabotaged stores, the output of the plugin, and the expansions of the macros.
test-developer: setup
	scripts/in-package Development/KitTests build --build-tests
	scripts/in-package Development/KitTests test --skip-build --disable-xctest
	scripts/in-package Development/MacroTests build --build-tests
	scripts/in-package Development/MacroTests test --skip-build --disable-xctest

# The plugins in packages that depend on this one.
test-plugin: setup
	scripts/test-plugin
	scripts/test-generate-items

# First programs of new users, in the language modes of new projects: each is run, and checks its results.
test-projects: setup
	scripts/in-package Examples/NewProjects build
	for program in MainActorApp Script MainActorScript; do .build/debug/$$program || exit 1; done

# The trials of `make torture` for some seconds, and the tests of the program that judges them.
test-torture:
	@scripts/setup $(TRACER)
	scripts/in-package Development/Torture build --build-tests
	scripts/in-package Development/Torture test --skip-build --disable-xctest

# The examples, built and tested as by authors outside of this package. The second one also has its checks in XCTest,
# where a few are enough.
SQLITE = $(if $(filter Linux,$(shell uname -s)),libsqlite3-dev)
examples:
	@scripts/setup $(SQLITE)
	scripts/in-package Examples/SQLiteDataStore build --build-tests
	scripts/in-package Examples/SQLiteDataStore test --skip-build --disable-xctest
	scripts/in-package Examples/SortedArrayEngine build --build-tests
	scripts/in-package Examples/SortedArrayEngine test --skip-build --disable-xctest
	JP_ONLY='fixture/*,crud/*,dur/kill9-after-sync' \
		scripts/in-package Examples/SortedArrayEngine test --skip-build --disable-swift-testing
	scripts/in-package Examples/RestaurantServer build --build-tests
	scripts/in-package Examples/RestaurantServer test --skip-build --disable-xctest

# The conformance kit on every backend, longer than in the tests. PROFILE=soak takes hours; ONLY='dur/*' selects checks.
PROFILE ?= full
ONLY ?= *
conformance: setup
	swift build -c release --product justpersist-conformance
	for store in memory: lmdb: leveldb: reference:; do \
		.build/release/justpersist-conformance $$store --profile $(PROFILE) --only '$(ONLY)' || exit 1; \
	done

# Stores are killed, lose power, are damaged and filled up, and have system calls fail; then they are checked against
# their guarantees. About ten minutes; LONG=1 continues until each campaign has its count.
# Options: make torture TORTURE="--only kill,power --engine lmdb --seed 7 --rounds 2"; make torture TORTURE=--help
TRACER = $(if $(filter Linux,$(shell uname -s)),strace)
TORTURE ?=
torture:
	@scripts/setup $(TRACER) $(if $(filter Linux,$(shell uname -s)),e2fsprogs xfsprogs)
	swift build -c release --product justpersist
	swift run -c release --package-path Development/Torture TortureTool $(if $(LONG),--long) $(TORTURE)
	$(if $(LONG),$(MAKE) simulate)

# Runs migrations, child stores, group commits, streams, index builds and closing in simulations, with so many seeds for
# each scenario. A failing seed is reduced and printed as a test.
SEEDS ?= 12000
simulate: setup
	swift build --build-tests
	JP_SEEDS=$(SEEDS) JP_RUNS=1000 JP_ALL_CALLS=1 \
		swift test --skip-build --disable-xctest --no-parallel --filter JustPersistSimulationTests

# How many lines of each folder the tests of the root package reach. FOLDERS="Sources/JustPersistRecords/Salvage" for some.
coverage: setup
	scripts/coverage $(FOLDERS)

# Fuzzes the parser of predicates and the decoder of records with libFuzzer. Ten minutes for both; SECONDS=60 for less.
# Needs a toolchain from swift.org, because Xcode's has no libFuzzer.
fuzz: setup
	scripts/fuzz $(or $(SECONDS),600)

# Checks the formatting, then builds the documentation; warnings are errors.
lint: setup
	swift format lint --strict --recursive --parallel Package.swift Sources Tests $(NESTED)
	$(MAKE) docs

format:
	swift format --in-place --recursive --parallel Package.swift Sources Tests $(NESTED)

docs: setup
	scripts/docs

# One static site of all products in .build/site, with every link checked. make site BASE_PATH=/JustPersist
BASE_PATH ?=
site: setup
	scripts/site $(if $(BASE_PATH),--base-path $(BASE_PATH))

# Prints the ratios of one run as a table and as JSON. Options: make bench BENCH="--only create --rounds 3"
bench: setup
	swift run -c release --package-path Development/Benchmarks StoreBenchmark $(BENCH)

# The suite under the address and the thread sanitizer, in separate builds that run concurrently; takes a while.
# The sabotaged stores are left out: they test the kit itself, depend on time and need a thousand processes. The
# backends' checks run in the test's own process, which starts once and is checked for leaks at its end, and one at a
# time, because some count files and threads. Tests of small stacks are left out, because a sanitizer's frames are larger.
sanitize: setup
	$(MAKE) -j2 sanitize-address sanitize-thread

sanitize-%: export LSAN_OPTIONS = suppressions=$(CURDIR)/Tests/Sanitizers/leaks.txt:print_suppressions=0
# Children that tests fork from a process with threads may start a thread.
sanitize-%: export TSAN_OPTIONS = die_after_fork=0
sanitize-%:
	swift test --disable-xctest --sanitize=$* --scratch-path .build/$* \
		--skip 'BackendConformanceTests|depthIsLimitedBeforeTheStackIs|theDeepestExpressionsFitASmallStack'
	JP_IN_PROCESS=1 JP_TIMEOUT=300 swift test --disable-xctest --sanitize=$* --scratch-path .build/$* \
		--skip-build --no-parallel --filter BackendConformanceTests
	SCRATCH=.build/$* scripts/in-package Development/KitTests test --disable-xctest --sanitize=$* \
		--skip 'MutantTests|IsolationCheckTests'
	SCRATCH=.build/$* scripts/in-package Development/MacroTests test --disable-xctest --sanitize=$*

# All operations of a store concurrently, under the thread sanitizer: its first report, a violated invariant or a minute
# without progress ends the run. Ten minutes for all three stores; make stress SECONDS=60 STORE=lmdb STRESS="--seed 7"
STORE ?= all
STRESS ?=
stress: export TSAN_OPTIONS ?= halt_on_error=1
stress: setup
	SCRATCH=.build/thread scripts/in-package Development/Torture build --product StressTool --sanitize=thread
	.build/thread/debug/StressTool --seconds $(or $(SECONDS),600) --store $(STORE) $(STRESS)

# The inspector's pages in headless Chromium, which is installed if it is missing. ITEMS=1000000 also measures a store of so
# many items, in release. Says NOT RUN if there is no browser; with INSPECT_TEST_REQUIRED=1 that is a failure.
inspect-test: setup
	scripts/inspect-test $(ITEMS)

setup:
	@scripts/setup

# Installs the tool, the manual page and the completions for bash, zsh and fish; install-all adds the conformance kit's
# program. make install PREFIX=$HOME/.local; DESTDIR is for packagers.
PREFIX ?= /usr/local
install: setup
	scripts/install "$(DESTDIR)$(PREFIX)"

install-all: setup
	scripts/install --all "$(DESTDIR)$(PREFIX)"

uninstall:
	scripts/install --remove "$(DESTDIR)$(PREFIX)"

clean:
	rm -rf .build */.build Examples/*/.build
