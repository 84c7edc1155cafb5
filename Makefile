# Every target makes .venv with the system's Python and installs what it needs there, once, and
# again when pyproject.toml or constraints.txt has changed. `make doors` has two of its own, of which
# `make doors-short` needs one.

PYTHON ?= python3

# The tournament of `make tournament`; change any of them: make tournament PLAYERS=6 OUT=results/six
AGENTS  ?= ppo,mcts,greedy,random
PLAYERS ?= 4
DEALS   ?= 40
SEED    ?= 1
OUT     ?= results/demo

# Empty shows all that pip says.
PIPFLAGS ?= -qq

VENV := .venv
BIN  := $(VENV)/bin
# `make doors` needs two more: RLlib pins another Gymnasium than the other libraries have.
DOORS_VENV := .venv-doors
RAY_VENV   := .venv-ray
VENVS := $(VENV) $(DOORS_VENV) $(RAY_VENV)
BASE := $(VENV)/.installed
DEV  := $(VENV)/.installed-dev
PROOF := $(VENV)/.installed-proof
PEERS := $(VENV)/.installed-peers
DOCS  := $(VENV)/.installed-docs
TRAIN := $(VENV)/.installed-train
NOTEBOOKS := $(VENV)/.installed-notebooks
DOORS := $(DOORS_VENV)/.installed
RAY   := $(RAY_VENV)/.installed

# Where the Python that an environment was made with is gone, nothing in it can be used.
$(shell for v in $(VENVS); do test -x $$v/bin/python || rm -f $$v/.installed*; done)

PIP := -m pip install --disable-pip-version-check $(PIPFLAGS)
PIP_INSTALL := $(BIN)/python $(PIP) -c constraints.txt
FAILED := { echo "make: the installation failed; 'make clean' starts afresh, PIPFLAGS= shows all of it" >&2; exit 1; }

# Tests of doors outside tests/doors.
CHECKERS := $(addprefix tests/env/test_,decisions.py env_pettingzoo.py env_presets.py single_env.py vector_env.py)

.PHONY: help tournament test test-slow doors doors-short check proof mutation coverage golden docs site screenshots bench ladder trust train-demo ablations notebooks clean

help:
	@echo "make tournament   play a small tournament and print its leaderboard"
	@echo "                  (AGENTS=$(AGENTS) PLAYERS=$(PLAYERS) DEALS=$(DEALS) SEED=$(SEED) OUT=$(OUT))"
	@echo "make test         run the tests"
	@echo "make test-slow    run the long proofs, which test leaves out"
	@echo "make doors        run the checkers of PettingZoo, Gymnasium, Stable-Baselines3, RLlib, TorchRL"
	@echo "                  and OpenSpiel in environments with these libraries, and print a table"
	@echo "make doors-short  the same in a few minutes: without RLlib and the tests that are marked slow"
	@echo "make proof        run every proof that the rules are right, and print the table"
	@echo "make mutation     one of them: change the rule code line by line, see the tests fail"
	@echo "make coverage     another: lines and branches of the rule code that the tests run"
	@echo "make ladder       measure how strong the agents are, and write docs/agents.md anew; takes an hour"
	@echo "make trust        try that tournaments lose nothing, trust no agent and scale, and measure"
	@echo "                  whether their figures keep what they promise; takes over half an hour"
	@echo "make train-demo   train an agent for five minutes, and see it beat greedy in an exam"
	@echo "make ablations    measure what each ingredient of training gives, and write docs/training.md anew"
	@echo "make notebooks    execute the notebooks, and write what comes out into them; takes five minutes"
	@echo "make golden       write the golden playthroughs anew; read them before you commit them"
	@echo "make docs         write the generated pages and pictures of docs/ anew, and build the site:"
	@echo "                  open site/index.html in a browser"
	@echo "make site         build the site alone, from the pages as they are"
	@echo "make screenshots  take the pictures of pages in docs/ anew; needs a Chromium"
	@echo "make bench        measure how fast everything is, beside other libraries"
	@echo "make check        run the linter, the formatter's check and the type checker"
	@echo "make clean        remove the environments, caches and builds; results/ stays"
	@echo "PYTHON=python3.12 chooses the Python that they are made with (3.10 or later)"

tournament: $(BASE)
	@$(BIN)/chickenfoot tournament --agents "$(AGENTS)" --players "$(PLAYERS)" --deals "$(DEALS)" \
	    --seed "$(SEED)" --out "$(OUT)" --resume

# Two at a time, a file with one of them.
test: $(DEV)
	@$(BIN)/python -m pytest -q -n 2 --dist loadfile -m "not slow"

test-slow: $(DEV)
	@$(BIN)/python -m pytest -q -m slow

# One thread each: PyTorch's get in one another's way. Tests that fail stand in the table, and it
# fails then, or if pytest has ended before it wrote its results.
doors: $(DOORS) $(RAY)
	@rm -f $(DOORS_VENV)/tests.xml $(RAY_VENV)/tests.xml
	@OMP_NUM_THREADS=1 $(DOORS_VENV)/bin/python -m pytest -q --tb=short --junitxml=$(DOORS_VENV)/tests.xml \
	    tests/doors $(CHECKERS) || true
	@OMP_NUM_THREADS=1 $(RAY_VENV)/bin/python -m pytest -q --tb=short --junitxml=$(RAY_VENV)/tests.xml \
	    tests/doors/test_rllib.py tests/doors/test_ray_cluster.py $(CHECKERS) || true
	@$(DOORS_VENV)/bin/python tests/doors/report.py $(DOORS_VENV)/tests.xml $(RAY_VENV)/tests.xml

doors-short: $(DOORS)
	@rm -f $(DOORS_VENV)/short.xml
	@OMP_NUM_THREADS=1 $(DOORS_VENV)/bin/python -m pytest -q --tb=short --junitxml=$(DOORS_VENV)/short.xml \
	    -m "not slow" tests/doors $(CHECKERS) || true
	@$(DOORS_VENV)/bin/python tests/doors/report.py --without ray $(DOORS_VENV)/short.xml

check: $(DEV)
	@$(BIN)/python -m ruff check .
	@$(BIN)/python -m ruff format --check .
	@$(BIN)/python -m mypy

proof: $(PROOF)
	@$(BIN)/python tests/proof.py

mutation: $(PROOF)
	@$(BIN)/python tests/mutation/mutate.py

coverage: $(PROOF)
	@$(BIN)/python tests/coverage_of_rules.py

golden: $(DEV)
	@cd tests && ../$(BIN)/python -m core.playthrough

docs: $(DOCS)
	@$(BIN)/python docs/make_rules.py
	@$(BIN)/python docs/make_performance.py
	@$(BIN)/python docs/make_agents.py
	@$(BIN)/python docs/make_evaluation.py
	@$(BIN)/python docs/make_training.py
	@$(BIN)/python docs/make_commands.py
	@$(BIN)/python docs/make_pictures.py
	@$(MAKE) --no-print-directory site

# Ruff, which sets the signatures, is looked for on the path. Material says at each start that MkDocs
# has no future; it is pinned.
site: $(DOCS)
	@PATH="$(CURDIR)/$(BIN):$$PATH" NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@$(BIN)/python docs/check_site.py site

screenshots: $(DEV)
	@$(BIN)/python docs/make_screenshots.py

# Goes on where it stopped; remove docs/ladder.json to begin anew.
ladder: $(BASE)
	@$(BIN)/python -m experiments.ladder docs/ladder.json --deals 200
	@$(BIN)/python docs/make_agents.py

trust: $(DEV)
	@$(BIN)/python tests/trust.py docs/trust.json
	@$(BIN)/python docs/make_evaluation.py

# Goes on where it stopped, or where it was finished tells the last exam again.
train-demo: $(TRAIN)
	@$(BIN)/chickenfoot train ppo --minutes 5 --out results/train-demo --resume

# Goes on where it stopped; remove docs/ablations.json to begin anew. One run after the other.
ablations: $(TRAIN)
	@$(BIN)/python -m experiments.training.ablations docs/ablations.json
	@$(BIN)/python docs/make_training.py

# Only one of them: make notebooks NOTEBOOK=04
notebooks: $(NOTEBOOKS)
	@$(BIN)/python notebooks/execute.py $(NOTEBOOK)

bench: $(PEERS)
	@$(BIN)/chickenfoot bench --peers

clean:
	rm -rf $(VENVS) dist site .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find chickenfoot_env agents experiments tests -name __pycache__ -prune -exec rm -rf {} +

$(VENVS:=/bin/python):
	@command -v "$(PYTHON)" >/dev/null || \
	    { echo "make: there is no $(PYTHON); install Python 3.10 or later, or name one: PYTHON=/path/to/python" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	    { echo "make: $(PYTHON) is too old, Python 3.10 or later is needed; name one: PYTHON=python3.12" >&2; exit 1; }
	@"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null || \
	    { echo "make: $(PYTHON) cannot make virtual environments; on Debian or Ubuntu: apt install python3-venv" >&2; exit 1; }
	@echo "Making $(@:/bin/python=) with $(PYTHON)"
	@"$(PYTHON)" -m venv --clear $(@:/bin/python=) || { rm -rf $(@:/bin/python=); exit 1; }

# One after the other, never two pips at once in the same environment.
$(BASE): pyproject.toml constraints.txt $(BIN)/python
	@echo "Installing chickenfoot into $(VENV) (about 600 MB; a minute or two)"
	@$(PIP_INSTALL) -e . || $(FAILED)
	@touch $@

$(DEV): $(BASE)
	@echo "Installing the test and check tools into $(VENV)"
	@$(PIP_INSTALL) -e '.[dev]' || $(FAILED)
	@touch $@

$(PROOF): $(DEV)
	@echo "Installing the proof's tools into $(VENV)"
	@$(PIP_INSTALL) -e '.[dev,proof]' || $(FAILED)
	@touch $@

$(PEERS): $(DEV)
	@echo "Installing what bench measures beside ours into $(VENV)"
	@$(PIP_INSTALL) -e '.[bench]' || $(FAILED)
	@touch $@

$(DOCS): $(BASE)
	@echo "Installing what the documentation needs into $(VENV)"
	@$(PIP_INSTALL) -e '.[docs]' || $(FAILED)
	@touch $@

$(TRAIN): $(BASE)
	@echo "Installing PyTorch and what training needs into $(VENV) (about 1 GB, or several with CUDA)"
	@$(PIP_INSTALL) -e '.[train]' || $(FAILED)
	@touch $@

$(NOTEBOOKS): $(BASE)
	@echo "Installing PyTorch and what executes notebooks into $(VENV) (about 1 GB, or several with CUDA)"
	@$(PIP_INSTALL) -e '.[notebooks]' || $(FAILED)
	@touch $@

$(DOORS): pyproject.toml constraints.txt $(DOORS_VENV)/bin/python
	@echo "Installing chickenfoot and the libraries of its doors into $(DOORS_VENV) (2 GB, or several with CUDA)"
	@$(DOORS_VENV)/bin/python $(PIP) -c constraints.txt -e '.[dev,train,torchrl,solve]' || $(FAILED)
	@touch $@

# constraints-ray.txt goes before: lines of constraints.txt about the same packages are left out.
$(RAY): pyproject.toml constraints.txt constraints-ray.txt $(RAY_VENV)/bin/python
	@echo "Installing chickenfoot and RLlib into $(RAY_VENV) (2 GB, or several with CUDA)"
	@awk -F= 'NR == FNR { ours[$$1]; print; next } !($$1 in ours)' \
	    constraints-ray.txt constraints.txt > $(RAY_VENV)/constraints.txt
	@$(RAY_VENV)/bin/python $(PIP) -c $(RAY_VENV)/constraints.txt -e '.[dev,ray]' || $(FAILED)
	@touch $@
