# make verify   judge SPECIAL's convergence theorem and all that its proof uses, draw the figures, into results/
# make test     the tests
# make experiments   compare methods on three kinds of streams, for the page "Which method on which stream"
# make mnist         compare methods where classes of MNIST arrive in tasks, DATA=FOLDER with its files
# Both create the environment in .venv if there is none.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: verify figures experiments mnist test slow torture matrix mutants-of-code fuzz bench bench-steps gpu lint docs kernel kernel-sizes clean

verify: .venv/ready
	$(BIN)/python -m verify.special_rate --json results/special_rate.json
	$(BIN)/python -m verify curves
	$(BIN)/python -m figures

# Compiled once for all the processes that tests start, and tests once for later runs, wherever PYTHONDONTWRITEBYTECODE is set
test: .venv/ready
	$(BIN)/python -m compileall -q -j 0 bounds nqm algorithms verify figures
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n auto --dist worksteal

TRAIN := $(BIN)/python -m verify.networks
SIZE := --rounds 10 --seeds 16
OF_DOMAINS := fedavg special special-c ewc lwf flwf-2t er icarl cfl-core-set cflag-adaptive
# Numbers that `python -m verify.networks.selection --kind class --tasks 5` (and `--kind task`) selects
OF_CLASSES := fedavg:local_lr=0.41 special:local_lr=0.23,lam=0.02 special-c:local_lr=0.31,lam=0.7 ewc:local_lr=0.23,lam=0.02 \
	lwf:local_lr=0.7,lam=0.0015 flwf-2t:local_lr=0.59,alpha=0.66,beta=0.09 er:local_lr=0.31,memory_share=0.55 \
	icarl:local_lr=0.7,lam=0.11 cfl-core-set:local_lr=0.41 cflag-adaptive:alpha=0.071,beta=0.079
OF_TASKS := fedavg:local_lr=0.18 special:local_lr=0.23,lam=0.02 special-c:local_lr=0.15,lam=0.0047 ewc:local_lr=0.23,lam=0.02 \
	lwf:local_lr=0.23,lam=0.02 flwf-2t:local_lr=0.38,alpha=0.56,beta=0.18 er:local_lr=0.7,memory_share=0.31 \
	icarl:local_lr=0.7,lam=0.11 cfl-core-set:local_lr=0.59 cflag-adaptive:alpha=0.12,beta=0.22

experiments: .venv/ready
	mkdir -p results/experiments
	$(TRAIN) --tasks 4 $(SIZE) --algorithms $(OF_DOMAINS) --json results/experiments/domain.json
	$(TRAIN) --kind class --tasks 5 $(SIZE) --algorithms $(OF_CLASSES) --json results/experiments/class.json
	$(TRAIN) --kind task --tasks 5 $(SIZE) --algorithms $(OF_TASKS) --json results/experiments/task.json
	$(BIN)/python -m verify.networks.paired $(patsubst %,results/experiments/%.json,domain class task) --out docs/streams.json

MNIST := --data mnist --folder $(DATA) --kind class
METHODS := fedavg special special-c cflag-adaptive er icarl
MLP := --model mlp --limit 1000 --rounds 10 --epochs 2 --seeds 8 --algorithms $(METHODS) cfl-core-set fedmes-inference
# Numbers that were selected for this network on MNIST, see docs/networks-results.md
OF_CNN := fedavg:local_lr=0.036 special:local_lr=0.09,lam=1.7 special-c:local_lr=0.31,lam=0.7 er:local_lr=0.09,memory_share=0.6 \
	icarl:local_lr=0.09,lam=0.64 cflag-adaptive:alpha=0.056,beta=0.014
CNN := --model cnn --limit 400 --tests 200 --rounds 4 --epochs 1 --seeds 4 --algorithms $(OF_CNN)

mnist: .venv/ready
	@test -n "$(DATA)" || { echo "mnist: needs DATA=FOLDER with the four files of MNIST"; exit 1; }
	mkdir -p results/experiments
	$(TRAIN) $(MNIST) $(MLP) --json results/experiments/mlp.json
	$(TRAIN) $(MNIST) $(CNN) --json results/experiments/cnn.json

slow: .venv/ready
	$(BIN)/python -m pytest -n auto --dist worksteal -m slow

# Malformed inputs, kills at random moments, full disks, little memory: hours; KILLS=N for fewer kills
torture: .venv/ready
	$(BIN)/python -m pytest -m torture tests/torture

# Pythons 3.10 to 3.13 with the oldest and newest packages; needs uv
matrix:
	$(PYTHON) tests/matrix.py

# Random changes of the code that the tests of its package must notice; N=20 of each package
mutants-of-code: .venv/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[mutants]'
	$(BIN)/python tests/mutants_of_code.py $(N)

# Claims, scenes, certificates and records made at random, whose right answer is known by another way: hours; SHARE=0.01 for fewer
fuzz: .venv/ready
	$(BIN)/python -m tests.fuzz --out results/fuzz.json $(if $(SHARE),--share $(SHARE))

bench-steps: .venv/ready
	$(BIN)/python -m tests.benchmarks.steps

bench: .venv/ready
	$(BIN)/python -m tests.benchmarks.simulate
	$(BIN)/python -m tests.benchmarks.moments
	$(BIN)/python -m tests.benchmarks.cfl_weights
	$(BIN)/python -m tests.benchmarks.networks
	$(BIN)/python -m tests.benchmarks.convolutions

# On a CUDA device; D=cpu tries every step without one, on few models. Writes results/gpu.md, a table for docs/performance.md
gpu: .venv/ready
	$(BIN)/python -m tests.benchmarks.gpu --device $(or $(D),cuda)

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Stored derivations, and the counterexamples of results/records, as theorems for the proof kernel Coq
kernel: PARTS := --stored
kernel: LEFT_OUT := _parts.v
# The same, and every part of every proof, facts at sizes, too: an hour on two cores
kernel-sizes: PARTS :=
kernel-sizes: LEFT_OUT := ^$$
kernel kernel-sizes: .venv/ready
	@command -v coqc >/dev/null || { echo "$@: needs coqc; on Debian: apt-get install coq"; exit 1; }
	rm -rf results/coq
	$(BIN)/python -m verify certify $(PARTS) --coq results/coq
	cd results/coq && ls *.v | grep -v '$(LEFT_OUT)' | xargs -P 2 -I FILE sh -c \
		'coqc -q FILE && echo "FILE accepted" || { echo "FILE refused"; exit 1; }'

docs: .venv/ready
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

export NEEDED := import sys; sys.exit("needs Python 3.10 or newer, as PYTHON=python3.12; this is " + sys.version.split()[0] if sys.version_info < (3, 10) else 0)
.venv/ready: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -c "$$NEEDED"
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt torch
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test,dev]'
	touch $@

clean:
	rm -rf .venv results build *.egg-info
