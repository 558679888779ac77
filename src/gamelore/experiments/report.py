"""What an experiment found, and its report: the same parts for every paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Generic, TypeAlias, TypeVar

from gamelore.experiments.claims import NO_VERDICT, Claim, PublishedNumber
from gamelore.experiments.statistics import Interval

SettingsT = TypeVar("SettingsT")

SMOKE_TEST = (
    "Smoke test: these sizes only show that the experiment runs. "
    "They say nothing about the paper, and no verdict is given."
)


@dataclass(frozen=True)
class Findings(Generic[SettingsT]):
    """What an experiment found; each paper adds its own data."""

    settings: SettingsT
    claims: Sequence[Claim] = field(default=(), kw_only=True)
    smoke_test: bool = field(default=False, kw_only=True)

    @property
    def numbers(self) -> list[Claim]:
        """The published numbers among the claims on the paper's experiment."""
        return [c for c in self.group() if isinstance(c, PublishedNumber)]

    @property
    def statements(self) -> list[Claim]:
        """The other claims on the paper's experiment."""
        return [c for c in self.group() if not isinstance(c, PublishedNumber)]

    def group(self, name: str = "") -> list[Claim]:
        """Return the claims of a group; by default, those on the paper's experiment."""
        return [claim for claim in self.claims if claim.group == name]


FindingsT = TypeVar("FindingsT", bound=Findings[Any])


def mark_smoke_test(findings: FindingsT) -> FindingsT:
    """Return the findings without a verdict."""
    claims = [replace(claim, verdict=NO_VERDICT) for claim in findings.claims]
    return replace(findings, claims=claims, smoke_test=True)


@dataclass(frozen=True)
class ReportTable:
    """A table: a header, and rows of cells."""

    header: Sequence[str]
    rows: Sequence[Sequence[object]]

    def to_markdown(self) -> str:
        """Return the table as Markdown, without a newline at its end."""
        lines = [self.header, ["---"] * len(self.header), *self.rows]
        return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


Part: TypeAlias = str | ReportTable


@dataclass(frozen=True)
class Section:
    """A heading, and paragraphs and tables below it."""

    title: str
    parts: Sequence[Part]
    in_summary: bool = False
    """Whether the terminal shows it too."""

    def to_markdown(self) -> str:
        """Return the section as Markdown."""
        return "\n\n".join([f"## {self.title}", *map(_to_markdown, self.parts)])


@dataclass(frozen=True)
class ExperimentReport:
    """The pages of an experiment."""

    title: str
    introduction: str
    sections: Sequence[Section]
    smoke_test: bool = False
    remark: str = ""
    """What a reader must know before verdicts are believed."""

    @property
    def notice(self) -> str:
        """What is said first, if anything."""
        return SMOKE_TEST if self.smoke_test else self.remark

    def to_markdown(self, figures: Mapping[str, str]) -> str:
        """Return report.md; `figures` has the caption of each by name."""
        notice = [f"**{self.notice}**"] if self.notice else []
        shown = [f"![{text}]({name}.png)\n\n{text}" for name, text in figures.items()]
        parts = [
            f"# {self.title}",
            *notice,
            self.introduction,
            *(section.to_markdown() for section in self.sections),
            *(["## Figures", *shown] if shown else []),
        ]
        return "\n\n".join(parts) + "\n"


def tabulate_claims(claims: Sequence[Claim], brief: bool = False) -> ReportTable:
    """Return claims as a table; if brief, only with what decides."""
    columns = list(dict.fromkeys(c for claim in claims for c in claim.measured))
    names = ["measured"] if brief and len(columns) > 1 else columns
    published = any(isinstance(claim, PublishedNumber) for claim in claims)
    verdicts = any(claim.verdict for claim in claims)
    paper = ["paper"] if published else []
    header = ["where", "claim", *paper, *names, *(["verdict"] if verdicts else [])]
    rows: list[list[object]] = []
    for claim in claims:
        row: list[object] = [claim.where, claim.statement]
        if published:
            row.append(f"{claim.paper:g}" if isinstance(claim, PublishedNumber) else "")
        if names == columns:
            row += [claim.measured.get(column, "") for column in columns]
        else:
            row.append(claim.decisive)
        rows.append([*row, claim.verdict] if verdicts else row)
    return ReportTable(header, rows)


def compare_sections(findings: Findings[Any], tolerance: float) -> list[Section]:
    """Return sections with the published numbers, and with the other claims."""
    text = (
        f"Per cent, or points. A number agrees if it is within {tolerance:g} points of "
        "the first of ours; farther away, an interval that includes it decides nothing."
    )
    return [
        *claims_section("Published numbers", findings.numbers, text),
        *claims_section("Statements", findings.statements, "Per cent, or points."),
    ]


def remark_on_scale(scale: float) -> str:
    """Return what a reader must know of an experiment that is not of full size."""
    if scale == 1:
        return ""
    return (
        "The paper's numbers are for its own size: verdicts mean little at "
        f"{scale:g} of it."
    )


def claims_section(title: str, claims: Iterable[Claim], *text: Part) -> list[Section]:
    """Return a section with a table of claims, or nothing if there are none."""
    found = list(claims)
    if not found:
        return []
    return [Section(title, [*text, tabulate_claims(found)])]


def claims_record(claims: Iterable[Claim]) -> list[dict[str, Any]]:
    """Return claims as JSON has them; the verdict of a smoke test is null."""
    return [
        asdict(claim)
        | {
            "measured": {
                name: value._asdict() if isinstance(value, Interval) else value
                for name, value in claim.measured.items()
            },
            "verdict": claim.verdict or None,
        }
        for claim in claims
    ]


def _to_markdown(part: Part) -> str:
    return part if isinstance(part, str) else part.to_markdown()
