"""Whether the figures of tournaments keep what they promise, measured.

    python -m experiments.trust docs/trust.json       # half an hour; a part of `make trust`
    python -m experiments.trust /tmp/trust.json --quick

Every measurement is a row: what was measured, how often, what came out, and what is allowed. `make
trust` adds rows on killed runs, agents that fail and a million rounds, by the repository's tests.
"""
