# The tool `justpersist` alone: docker build -t justpersist . && docker run --rm -v "$PWD:/data" justpersist info lmdb:/data/store
FROM swift:6.3-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends \
    liblmdb-dev libleveldb-dev libpq-dev libcsv-dev libsqlite3-dev zlib1g-dev libzstd-dev pkg-config && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN swift build -c release --static-swift-stdlib --product justpersist \
    && install -s -D "$(swift build -c release --static-swift-stdlib --show-bin-path)/justpersist" /out/justpersist

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends \
    liblmdb0 libleveldb1d libpq5 libcsv3 libsqlite3-0 zlib1g libzstd1 libstdc++6 && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 justpersist
COPY --from=build /out/justpersist /usr/local/bin/justpersist
USER justpersist
WORKDIR /data
ENTRYPOINT ["justpersist"]
CMD ["--help"]
