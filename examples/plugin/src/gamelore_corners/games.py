"""Where the rule sheets of this package are."""

from pathlib import Path

CORNERS = Path(__file__).parent / "corners.kif"
