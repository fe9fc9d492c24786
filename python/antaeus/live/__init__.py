"""Beside a running robot: its stream goes through the guarded estimator, and what comes out is shown, recorded and handed on."""
