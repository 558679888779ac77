"""Checks of rule sheets and features files: every error and warning, with its place."""

from gamelore.gdl.checks.feature_file import check_features
from gamelore.gdl.checks.rule_sheet import check_text

__all__ = ["check_features", "check_text"]
