# Two commands matter: `make sim` plays, `make test` checks. Both build their own .venv.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

# The tests start the program hundreds of times: it is to be compiled once.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help sim league duel test test-all test-pi style lint audit docs messages pins generated site hardware deb openskill-deb test-deb image test-image web release ci clean
help:
	@echo "make sim    play the simulated box in the browser"
	@echo "make league play a league of three simulated boxes in the browser"
	@echo "make duel   play two linked boxes in the browser, side by side"
	@echo "make test   run the tests"
	@echo "make test-all    run the slow ones too, and more generated cases"
	@echo "make test-pi     run the tests that need a Pi, on a virtual one (Linux, root, QEMU)"
	@echo "make lint   run ruff and mypy"
	@echo "make deb    build the Debian packages"
	@echo "make test-deb    install, upgrade, boot and purge them in a fresh Debian 13 (Linux, root)"
	@echo "make web    build the box as a page that needs no server: build/web (needs node and npm)"
	@echo "make image  build the card's image, and an update for it (Linux; packaging/image/README.md)"
	@echo "make test-image  start the image in QEMU, play on it, pull its plug and update it (slow)"
	@echo "make release     build everything that people download, twice, with checksums and a signature: CONTRIBUTING.md"
	@echo "make ci     run what CI runs, as root on Debian: CONTRIBUTING.md"
	@echo "make audit  check the dependencies for known vulnerabilities (needs a network)"
	@echo "make messages    add changed texts to the translations, and list what is untranslated"
	@echo "make pins   renew constraints.txt, the exact versions of all libraries and tools"
	@echo "make docs   build the pages as a site, with pictures of every screen: build/docs/site"
	@echo "make site   the same with the box in a tab on its first page (needs node and npm)"
	@echo "make generated   update the files made from the code: default config, schemas, manual pages"
	@echo "make hardware    check the circuit board and the box, and make the files for a workshop"
	@echo "make clean  remove what was built"
	@echo "Benchmarks, gpiozero's own tests and the tests on another Debian's Python are commands: CONTRIBUTING.md"

# A venv's programs name their own folder.
ifneq ($(filter-out clean help deb,$(or $(MAKECMDGOALS),help)),)
ifneq ($(shell [ ! -e $(VENV)/.python ] || grep -qsF '$(CURDIR)/$(VENV)' $(VENV)/bin/activate || echo moved),)
$(error this folder has been moved or copied, and $(VENV) still names the old place; run make clean)
endif
endif

# One line that says what is missing, instead of a traceback from venv or pip.
$(VENV)/.python:
	@command -v $(PYTHON) >/dev/null || { echo "make: $(PYTHON) not found: install Python 3.11 or newer, or run make PYTHON=/path/to/python"; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "make: $$($(PYTHON) -V) is too old: run make PYTHON=/path/to/python3.11, or with a newer one"; exit 2; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "make: $(PYTHON) has no venv module: on Debian, Ubuntu and Raspberry Pi OS, run sudo apt install python3-venv"; exit 2; }
	@echo "Making $(VENV), which takes a minute or two the first time"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

# No index has these yet, so they are named beside what needs them.
PINS := libraries/gpiozero-gpiod
SPANS := libraries/luma-spans
UPLINK := league/uplink
# Without a network pip would try for minutes.
# The exact versions of all libraries and tools, so that the same commit gives the same result next year.
CONSTRAINTS ?= constraints.txt
INSTALL = PIP_RETRIES=2 $(BIN)/pip install --quiet --disable-pip-version-check $(addprefix --constraint ,$(CONSTRAINTS)) --editable ./$(PINS) --editable ./$(SPANS) --editable
NO_NETWORK := NewConnectionError|NameResolutionError|ConnectTimeoutError|ProxyError|Network is unreachable
install = $(INSTALL) $(1) >$(VENV)/log 2>&1 || { \
    if grep -qE '$(NO_NETWORK)' $(VENV)/log; then echo "make: can't download the libraries, which the first run needs; $(VENV)/log says more"; \
    else cat $(VENV)/log; fi; exit 2; }

$(VENV)/.sim: $(VENV)/.python $(CONSTRAINTS) pyproject.toml $(PINS)/pyproject.toml $(SPANS)/pyproject.toml
	@echo "Installing the box into $(VENV)"
	@$(call install,'.[sim]')
	@touch $@

$(VENV)/.test: $(VENV)/.python $(CONSTRAINTS) pyproject.toml $(PINS)/pyproject.toml $(SPANS)/pyproject.toml $(UPLINK)/pyproject.toml league/pyproject.toml
	@echo "Installing the box, the league and the tests' tools into $(VENV)"
	@# The box first: the others ask for it, and pip does not look for it in its own list.
	@$(call install,'.[test]')
	@$(call install,'./league[test]' --editable ./$(UPLINK))
	@touch $@ $(VENV)/.sim

# Renews constraints.txt: the newest versions that everything works together with, on this Python.
pins:
	@$(MAKE) --no-print-directory clean-pins build/pins/.test VENV=build/pins CONSTRAINTS=
	@{ echo "# The exact versions that make sim, make test and make lint install. Renewed by make pins."; \
	    build/pins/bin/pip list --disable-pip-version-check --exclude-editable --format freeze | grep -vE '^(pip|setuptools)=='; } >build/constraints.txt
	@mv build/constraints.txt constraints.txt

.PHONY: clean-pins
clean-pins:
	@rm -rf build/pins && mkdir -p build

sim: $(VENV)/.sim
	@$(BIN)/shutthebox sim $(ARGS)

# The tests that a developer runs dozens of times a day, on every core.
test: $(VENV)/.test
	@$(BIN)/pytest --numprocesses auto --dist worksteal $(ARGS)

# Everything that runs on this machine alone: the slow tests too, and more generated cases of the others.
test-all: $(VENV)/.test
	@$(BIN)/pytest --numprocesses auto --dist worksteal -m "not virtual_pi and not package and not image" --hypothesis-profile thorough $(ARGS)

# Boots Debian's kernel and systemd under QEMU, with simulated pins: tests/system/virtual_pi/README.md.
test-pi: $(VENV)/.test
	@$(BIN)/pytest -m virtual_pi tests/system/virtual_pi $(ARGS)

# A league, and three simulated boxes that play.
league: $(VENV)/.test
	@$(BIN)/python -m demos.league $(ARGS)

# Two simulated boxes that play with one another, in one page: demos/README.md.
duel: $(VENV)/.test
	@$(BIN)/python -m demos.duel $(ARGS)

style: $(VENV)/.test
	@$(BIN)/ruff check firmware libraries hardware/scripts hardware/tools docs/tools league packaging demos tests .ci
	@$(BIN)/ruff format --check firmware libraries hardware/scripts hardware/tools docs/tools league packaging demos tests .ci

lint: style
	@$(BIN)/mypy

# The tool has a venv of its own, because it needs other packages than the box.
audit: $(VENV)/.test
	@rm -rf build/audit.json && mkdir -p build
	@test -x build/audit/bin/pip-audit || { $(BIN)/python -m venv build/audit && \
		build/audit/bin/pip install --quiet --disable-pip-version-check 'pip-audit>=2.7'; } || true
	@timeout 120 build/audit/bin/pip-audit --path "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')" \
		--skip-editable --progress-spinner off --format json --output build/audit.json >build/audit.log 2>&1 || true
	@$(BIN)/python .ci/audit.py build/audit.json

# The same package on Python for browsers: packaging/web/build.py.
web: $(VENV)/.test
	@$(BIN)/python packaging/web/build.py

hardware:
	@$(MAKE) --no-print-directory -C hardware

# The distributions' versions.
VERSIONED := firmware/shutthebox/__init__.py league/src/shutthebox_league/__init__.py \
    league/uplink/src/shutthebox_uplink/__init__.py $(PINS)/src/gpiozero_gpiod/__init__.py $(SPANS)/src/luma_spans/__init__.py

# In a copy, because dpkg-buildpackage wants debian/ at the top and writes beside it; with Debian's own Python.
DEB := build/deb
deb: export PATH := /usr/sbin:/usr/bin:/sbin:/bin
deb:
	@command -v dpkg-buildpackage >/dev/null || { echo "make: dpkg-buildpackage not found: on Debian and Raspberry Pi OS, run sudo apt install dpkg-dev && sudo apt build-dep ./packaging"; exit 2; }
	@dpkg-checkbuilddeps packaging/debian/control || { echo "make: build dependencies are missing: run sudo apt build-dep ./packaging"; exit 2; }
	@# Elsewhere, because pybuild takes a space for the end of a path. Debian 12's hatchling refuses Pythons that came
	@# after it, and no package of Debian's has that list.
	@set -e; made=$$(mktemp -d); trap 'rm -rf "$$made"' EXIT; source=$$made/source; mkdir -p "$$source/hardware"; \
	cp -R docs firmware league libraries systemd LICENSE README.md SECURITY.md pyproject.toml "$$source"; \
	cp -RL packaging/debian "$$source"; \
	cp -R packaging/completions "$$source"; \
	cp hardware/config.txt "$$source/hardware"; \
	if [ -f build/web/index.html ]; then cp -R build/web "$$source"; \
	else echo "make deb: built without shutthebox-web, the box in a tab; run make web first to include it" >&2; fi; \
	number=$$(packaging/dev-number); \
	( cd "$$source"; \
	find . -name pyproject.toml -exec sed -i '/:: Python :: 3\../d' {} +; \
	sed -i "s/^__version__ = \"\(.*\)\.dev0\"/__version__ = \"\1.dev$$number\"/" $(VERSIONED); \
	sed -i "1s/~dev0)/~dev$$number)/" debian/changelog; \
	dpkg-buildpackage -us -uc -b >../log 2>&1 || { cat ../log; exit 1; } ); \
	rm -rf $(DEB); mkdir -p $(DEB); cp "$$made"/*.* $(DEB)
	@ls $(DEB)/*.deb

# The library of the league's ratings, which Debian does not have. Needs the network.
openskill-deb:
	@PATH=/usr/sbin:/usr/bin:/sbin:/bin sh league/openskill.sh $(DEB)

# tests/system/package says what it needs, and skips what can't be done here.
test-deb: $(VENV)/.test deb
	@$(BIN)/pytest -m package --numprocesses auto --dist loadfile tests/system/package $(ARGS)

# From Debian's packages, arm64 on any Linux: packaging/image/README.md.
image:
	@$(MAKE) --no-print-directory -C packaging/image

# A card in an emulated machine, from its first start to an update that fails: packaging/image/README.md.
test-image: $(VENV)/.test image
	@$(BIN)/pytest -m image tests/system/image -s $(ARGS)

# packaging/release/release.py says what is in it.
release: $(VENV)/.test
	@$(BIN)/python packaging/release/release.py --key '$(KEY)' $(if $(URL),--url '$(URL)') $(if $(CERT),--cert '$(CERT)') $(if $(CERT_KEY),--cert-key '$(CERT_KEY)') \
		$(if $(PARTS),--parts $(PARTS))

ci:
	@.ci/run $(ARGS)

# After a text has changed: adds it to every catalogue, and says what is to be translated there.
messages: $(VENV)/.test
	@PYTHONPATH=docs/tools $(BIN)/python -m doctools.messages

# After a key, an option or a command has changed: the files that repeat it.
generated: $(VENV)/.test
	@PYTHONPATH=docs/tools $(BIN)/python -m doctools.generated

# The site, with a picture of every screen and a sheet for every game in every language.
docs: $(VENV)/.test
	@PYTHONPATH=docs/tools $(BIN)/python -m doctools.site

# What the repository's pages show: the box in a tab first, the pages beside it.
site:
	@$(MAKE) --no-print-directory web
	@$(MAKE) --no-print-directory docs

clean:
	rm -rf $(VENV) build dist
