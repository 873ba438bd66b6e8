# Both ways in: `make demo` shows the main job on real data, `make test` runs every test.
.PHONY: demo test lint format docs bench sanitize setup clean

# The suite proves damage and crashes by killing processes; backtraces of those would only slow it down.
export SWIFT_BACKTRACE ?= enable=no

demo:
	scripts/demo

test: setup
	swift build --build-tests
	swift test --skip-build --disable-xctest

# Formatting, then the documentation: both without warnings.
lint: setup
	swift format lint --strict --recursive --parallel Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources
	$(MAKE) docs

format:
	swift format --in-place --recursive --parallel Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources

docs: setup
	scripts/docs

# The ratios of one run, as a table and as JSON. Options: make bench BENCH="--only create --rounds 3"
bench: setup
	swift run -c release --package-path Benchmarks StoreBenchmark $(BENCH)

# The suite under the address and the thread sanitizer, each a build of its own; takes a while.
sanitize: setup
	LSAN_OPTIONS=suppressions=$(CURDIR)/Tests/Sanitizers/leaks.txt:print_suppressions=0 \
		swift test --disable-xctest --sanitize=address --scratch-path .build/address
	swift test --disable-xctest --sanitize=thread --scratch-path .build/thread

setup:
	@scripts/setup

clean:
	rm -rf .build Benchmarks/.build
