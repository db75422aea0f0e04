# The commands of developers. Each target first installs what it needs; see tools/setup.sh.
#
#   make run      build (Release) and serve on 127.0.0.1:8000, with the five designs and the data in ./data
#   make test     the Release build, unit tests and black-box suites: ten minutes on two cores
#   make test-deep  the rest: full-length black-box suites, packages, sanitizers, fuzzers
#   make judge    run designs, copies and the suites of the API on DynamoDB Local, which it downloads
#   make bench    compare with the raw ceilings and dynalite; PEERS=all: also with DynamoDB Local and dynoxide, which it installs
#   make deb      Debian packages: the program for Debian 12 and 13, the library for Debian 12
#   make dist     one self-contained program for any Linux with glibc 2.35 or later, in build/dist
#   make image    a container image, for docker load and podman load, in build/dist
#   make clients  the packages for Node and Python with the program inside, in build/clients

PORT ?= 8000
DATA ?= data

.PHONY: run build test test-deep judge bench deb dist image clients setup setup-test format lint clean

run: build
	build/trestle serve --port $(PORT) --data $(DATA) --design designs

build: setup
	cmake --preset release > /dev/null
	cmake --build --preset release --target trestle

test: setup-test
	tests/all.sh fast

test-deep: setup-test
	tests/all.sh deep

judge: setup-test
	cmake --preset release > /dev/null
	cmake --build --preset release --target trestle runtime_test
	tests/judge.sh $(JUDGE)

bench: setup-test
	cmake --preset release > /dev/null
	cmake --build --preset release --target trestle echo_ceiling rocksdb_ceiling
	npm ci --silent --no-audit --no-fund --prefix bench
ifdef PEERS
	tools/peers.sh dynamodb-local
	tools/peers.sh dynoxide
	tools/loopback_only.sh python3 bench/run.py --peers $(PEERS) $(BENCH)
else
	python3 bench/run.py $(BENCH)
endif

deb: setup
	tools/deb.sh

dist:
	tools/dist.sh

image: dist
	tools/image.py build/dist/trestle-*-linux-x64 build/dist/trestle-image.tar
	cd build/dist && sha256sum trestle-image.tar >> SHA256SUMS

clients: setup-test dist
	rm -rf build/clients
	tools/pack_clients.sh node build/dist/trestle-*-linux-x64 build/clients
	WHEEL_PLATFORM=manylinux_2_35_x86_64 tools/pack_clients.sh python build/dist/trestle-*-linux-x64 build/clients

setup:
	@tools/setup.sh build

setup-test:
	@tools/setup.sh build test deb dist

format: setup-test
	git ls-files 'src/*.h' 'src/*.cc' 'bench/*.cc' 'examples/*.cc' | xargs clang-format-19 -i

lint: setup-test
	cmake --preset release > /dev/null
	cmake --build --preset release
	tools/lint.py --all

clean:
	rm -rf build
