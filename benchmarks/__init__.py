"""Measurements of the real server beside a bare relay: `benchmarks/run`."""
