# GNU make. `make help` lists what there is to do.
MAKEFLAGS += --no-builtin-rules
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

PREFIX ?= /usr/local
DESTDIR ?=
BINDIR ?= $(PREFIX)/bin
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man

# a warning is an error; with a newer compiler that warns of more: make SWIFTFLAGS=
SWIFTFLAGS ?= -Xswiftc -warnings-as-errors
SWIFT_BUILD := --explicit-target-dependency-import-check error $(SWIFTFLAGS)
BINARY := .build/release/oauthctl

# What a stored token's way out of the keyring costs is half a matter of linking (`make bench` holds it to its limits):
# - the functions of that way lie side by side (`make hot-path` writes their list), so that few pages are read;
# - libstdc++ and libgcc are inside, so that two libraries less are loaded: a folder with nothing but the archive makes the
#   linker take it;
# - 38,000 relocations are packed, where this machine's C library can read that (glibc 2.36).
HOT_PATH := Sources/oauthctl/hot-path.order
LIBSTDCXX := $(lastword $(sort $(wildcard /usr/lib/gcc/*/*/libstdc++.a)))
PACKED := $(shell printf '2.36\n%s\n' "$$(getconf GNU_LIBC_VERSION | sed 's/.* //')" | sort -CV && echo yes)
linker = $(foreach word,$(1),-Xlinker $(word))
LINK := -Xswiftc -use-ld=lld -Xswiftc -Xfrontend -Xswiftc -function-sections -Xswiftc -Xclang-linker -Xswiftc -static-libgcc \
  $(call linker,-L$(abspath .build/static) --as-needed --gc-sections --icf=safe) \
  $(if $(PACKED),$(call linker,-z pack-relative-relocs))
IN_ORDER := $(call linker,--symbol-ordering-file=$(abspath $(HOT_PATH)) --no-warn-symbol-ordering)
SUPPORT := Tests/Support
PYTEST_JOBS ?= 4
MINUTES ?= 5

# The tests' servers are kept here, whatever HOME a test sees
export OAUTHCTL_TEST_CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/oauthctl-tests
export PYTHONDONTWRITEBYTECODE := 1

.PHONY: all build hot-path deps test unit-test end-to-end-test demo bench soak fuzz sanitize check lint format generate \
  check-generated install uninstall \
  clean help

all: build

help: ## shows this
	@sed -n 's/^\([a-z][a-z-]*\):.*## /\1\t/p' Makefile | expand -t 18

# SwiftPM may say `prohibited flag(s): -pthread`, twice: it does not pass on that part of glib's pkg-config file. Harmless.
# The folders are prerequisites too, so that a removed file is noticed.
build: $(BINARY) ## builds .build/release/oauthctl, with Swift's runtime inside
$(BINARY): Package.swift $(shell find Sources)
	@$(SUPPORT)/deps build
	@mkdir -p .build/static && ln -sf $(LIBSTDCXX) .build/static/libstdc++.a
	swift build -c release --static-swift-stdlib --product oauthctl $(SWIFT_BUILD) $(LINK) $(IN_ORDER)
	@touch $@

hot-path: | deps ## lists the functions of `oauthctl token` for the linker; after larger changes to that command
	@mkdir -p .build/static && ln -sf $(LIBSTDCXX) .build/static/libstdc++.a
	swift build -c release --static-swift-stdlib --product oauthctl $(SWIFT_BUILD) $(LINK)
	$(SUPPORT)/hot-path $(BINARY) >$(HOT_PATH).new
	mv $(HOT_PATH).new $(HOT_PATH)

deps: ## installs the Debian packages that are missing for building and testing
	@$(SUPPORT)/deps all

test: unit-test end-to-end-test ## runs all tests, with what they need installed first

# One Swift build at a time: they share a folder, and this machine. So the order, under `make -j` too. The session bus and the
# keyring of whoever runs this are not touched: the tests see a bus, a keyring and a HOME of their own. Those of Host measure
# time, and come after those that need all of the machine to compute.
unit-test: $(BINARY) | deps
	swift build --build-tests $(SWIFT_BUILD)
	$(SUPPORT)/with-keyring --unlocked swift test --skip-build --disable-xctest $(SWIFT_BUILD) --skip '^HostTests[.]'
	$(SUPPORT)/with-keyring --unlocked swift test --skip-build --disable-xctest $(SWIFT_BUILD) --filter '^HostTests[.]'

# Debian's pytest, so Debian's Python, whatever else is on the PATH
end-to-end-test: $(BINARY) | deps unit-test
	/usr/bin/python3 -m pytest -p no:cacheprovider -n $(PYTEST_JOBS) Tests/EndToEnd

demo: $(BINARY) | deps ## a login, token, refresh and logout, against a real server and a real keyring of its own
	@$(SUPPORT)/demo $(BINARY)

bench: $(BINARY) | deps ## compares `oauthctl token` with `secret-tool lookup`, in time and memory
	@$(SUPPORT)/bench $(BINARY)

# In each target; the unit tests replay Tests/Corpus, which `Tests/Support/fuzz --keep` adds to.
# not what bash means by SECONDS, should that be in the environment
FUZZ_SECONDS := $(if $(filter command%,$(origin SECONDS)),$(SECONDS),60)
fuzz: | deps ## has libFuzzer look for inputs that break what the readers promise, SECONDS=60 for each
	$(SUPPORT)/fuzz --seconds $(FUZZ_SECONDS)

soak: $(BINARY) | deps ## loses no login of ten accounts, while everything fails: MINUTES=5, SEED=N for the same dice again
	@$(SUPPORT)/soak --minutes $(MINUTES) $(if $(SEED),--seed '$(SEED)') $(SOAKFLAGS) $(BINARY)

# Not part of `test`: two more whole builds
sanitize: $(BINARY) | deps ## runs the unit tests under the address and the thread sanitizer, and some end-to-end tests
	PYTEST_JOBS=$(PYTEST_JOBS) $(SUPPORT)/sanitize

check: lint unit-test check-generated ## lint, a build without warnings, unit tests, generated files fresh

# SC2317 takes a function that only a trap calls for unreachable
lint: | deps ## style of Swift, shell, Python and manual pages, and the house's own rules
	swift format lint --strict --parallel --recursive Package.swift Sources Tests
	shellcheck --exclude SC2317 .ci/run $$(grep -slE --directories=skip '^#!.*(bash|/sh)' $(SUPPORT)/*)
	/usr/bin/python3 -m pyflakes $$(find Tests -name '*.py') $$(grep -slE --directories=skip '^#!.*python3' $(SUPPORT)/*)
	mandoc -T lint -W warning man/*.[1-9]
	$(SUPPORT)/check-house

format: ## formats the Swift sources
	swift format --in-place --parallel --recursive Package.swift Sources Tests

generate: $(BINARY) ## writes the manual page and the completions from the command table
	$(SUPPORT)/generate $(BINARY)

check-generated: $(BINARY) ## whether the files of `generate` are those that it would write now
	$(SUPPORT)/generate --check $(BINARY)

install: $(BINARY) ## installs under PREFIX (default /usr/local), below DESTDIR
	install -d '$(DESTDIR)$(BINDIR)' '$(DESTDIR)$(MANDIR)/man1' '$(DESTDIR)$(MANDIR)/man5' \
	  '$(DESTDIR)$(DATADIR)/bash-completion/completions' '$(DESTDIR)$(DATADIR)/zsh/site-functions' \
	  '$(DESTDIR)$(DATADIR)/fish/vendor_completions.d'
	install -s -m 755 $(BINARY) '$(DESTDIR)$(BINDIR)/oauthctl'
	install -m 644 man/*.1 '$(DESTDIR)$(MANDIR)/man1'
	install -m 644 man/*.5 '$(DESTDIR)$(MANDIR)/man5'
	install -m 644 completions/oauthctl.bash '$(DESTDIR)$(DATADIR)/bash-completion/completions/oauthctl'
	install -m 644 completions/_oauthctl '$(DESTDIR)$(DATADIR)/zsh/site-functions/_oauthctl'
	install -m 644 completions/oauthctl.fish '$(DESTDIR)$(DATADIR)/fish/vendor_completions.d/oauthctl.fish'

uninstall: ## removes what `install` put there
	rm -f '$(DESTDIR)$(BINDIR)/oauthctl' \
	  $(foreach page,$(notdir $(wildcard man/*.1)),'$(DESTDIR)$(MANDIR)/man1/$(page)') \
	  $(foreach page,$(notdir $(wildcard man/*.5)),'$(DESTDIR)$(MANDIR)/man5/$(page)') \
	  '$(DESTDIR)$(DATADIR)/bash-completion/completions/oauthctl' '$(DESTDIR)$(DATADIR)/zsh/site-functions/_oauthctl' \
	  '$(DESTDIR)$(DATADIR)/fish/vendor_completions.d/oauthctl.fish'

clean: ## removes what was built
	rm -rf .build
