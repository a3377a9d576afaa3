# `make demo` and `make test` set up all that they need in .venv; nothing is downloaded later than that.
PYTHON ?= $(firstword $(foreach name,python3.11 python3.12 python3.13 python3,$(shell command -v $(name))))
BIN := .venv/bin

.PHONY: demo test lint types docs clean

demo: .venv/installed
	$(BIN)/kg build examples/iclr2025.txt -o exports
	@echo; echo "1. What are large language models used for, and how many papers say so?"
	@$(BIN)/kg query tasks-of-method --method LLMs --format table
	@echo "2. What was reported about SOAP?"
	@$(BIN)/kg query results-of-method --method SOAP --format table
	@echo "3. Why does the graph say that SOAP is compared with AdamW?"
	@$(BIN)/kg explain SOAP comparedWith AdamW
	@echo; echo "Look at exports/graph.html in a browser; the graph itself is exports/graph.ttl."

test: lint types
	$(BIN)/python -m pytest

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/installed-dev
	$(BIN)/mypy

docs: .venv/installed-dev
	$(BIN)/python docs/make_commands.py

.venv/installed: setup.cfg pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install -qq --editable .
	touch $@

.venv/installed-dev: .venv/installed
	$(BIN)/pip install -qq --editable '.[dev]'
	touch $@

clean:
	rm -rf .venv build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
