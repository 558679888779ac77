"""Carries out the requests of one page."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from threading import Event as Flag
from typing import Any, TypeVar

import msgspec

from gamelore.engine.position import Position
from gamelore.lab import events, requests
from gamelore.lab.analyses import Spot, find_hint, review_match, search_position
from gamelore.lab.drafts import check_rules, view_problems
from gamelore.lab.drawing import view_position
from gamelore.lab.figures import measure
from gamelore.lab.forms import make_form
from gamelore.lab.matches import MatchSettings
from gamelore.lab.records import write_record
from gamelore.lab.shared import Lab, Page
from gamelore.lab.shelf import LabGame, complete_joint
from gamelore.lab.templates import list_templates, read_template
from gamelore.lab.workspace import RULES

T = TypeVar("T")


class Desk:
    """The requests of one page, each by a method of its own."""

    def __init__(self, lab: Lab, page: Page) -> None:
        self.lab = lab
        self.page = page
        self._flags: dict[str, Flag] = {}
        self._handlers: dict[type[requests.Request], Callable[[Any], Awaitable[None]]]
        self._handlers = {
            requests.ShowPosition: self._show_position,
            requests.OpenMatch: self._open_match,
            requests.FollowMatch: self._follow_match,
            requests.LeaveMatch: self._leave_match,
            requests.PlayMove: self._play_move,
            requests.TakeBack: self._take_back,
            requests.SwitchSides: self._switch_sides,
            requests.SetPace: self._set_pace,
            requests.ListMatches: self._list_matches,
            requests.StartTournament: self._start_tournament,
            requests.StopTournament: self._stop_tournament,
            requests.Analyse: self._analyse,
            requests.StopAnalysis: self._stop_analysis,
            requests.Review: self._review,
            requests.StopReview: self._stop_review,
            requests.AskHint: self._ask_hint,
            requests.ImportRecord: self._import_record,
            requests.FollowRecord: self._follow_record,
            requests.LeaveRecord: self._leave_record,
            requests.ExportRecord: self._export_record,
            requests.ListFiles: self._list_files,
            requests.ReadFile: self._read_file,
            requests.SaveFile: self._save_file,
            requests.ReadTemplate: self._read_template,
            requests.CheckDraft: self._check_draft,
            requests.MeasureDraft: self._measure_draft,
            requests.KeepDraft: self._keep_draft,
            requests.ShowForm: self._show_form,
            requests.StartRun: self._start_run,
            requests.StartRace: self._start_race,
            requests.PauseRun: self._pause_run,
            requests.ResumeRun: self._resume_run,
            requests.RemoveRun: self._remove_run,
            requests.FollowRuns: self._follow_runs,
            requests.LeaveRuns: self._leave_runs,
            requests.ShowPatterns: self._show_patterns,
        }

    async def greet(self, version: str) -> None:
        """Tell a new page what there is."""
        games = await self._in_thread(self.lab.shelf.list_games)
        self.page.send(
            events.Welcome(
                version=version,
                folder=str(self.lab.workspace.folder),
                games=games,
                agents=self.lab.roster.list_agents(),
                templates=list_templates(),
            )
        )

    async def handle(self, request: requests.Request) -> None:
        """Carry out a request; whoever calls it reports what is raised."""
        await self._handlers[type(request)](request)

    def close(self) -> None:
        """The page is gone: nobody looks any more."""
        for flag in self._flags.values():
            flag.set()
        self.lab.matches.leave_all(self.page)
        self.lab.live.leave(self.page)
        self.lab.runs.leave(self.page)

    # ── threads ─────────────────────────────────────────────────────────────────────

    def _in_thread(self, work: Callable[..., T], *arguments: Any) -> asyncio.Future[T]:
        loop = asyncio.get_running_loop()
        return loop.run_in_executor(self.lab.threads, partial(work, *arguments))

    def _begin(self, kind: str) -> Flag:
        """Return what stops a new search; the one before it of its kind is stopped.

        A search begins when it is asked for: what comes while its game is still being
        prepared stops it too.
        """
        self._stop(kind)
        flag = self._flags[kind] = Flag()
        return flag

    async def _stream(
        self,
        kind: str,
        re: int,
        flag: Flag,
        make: Callable[[Flag], Iterator[events.Event]],
    ) -> None:
        """Send all that a search finds, until its flag is set."""
        loop = asyncio.get_running_loop()

        def work() -> None:
            if flag.is_set():
                return
            for event in make(flag):
                if flag.is_set():
                    return
                event.re = re
                content = msgspec.json.encode(event)
                slot = "" if isinstance(event, events.ReviewPoint) else kind
                loop.call_soon_threadsafe(self.page.push, content, slot)

        await loop.run_in_executor(self.lab.searches, work)

    def _stop(self, kind: str) -> None:
        if kind in self._flags:
            self._flags[kind].set()

    async def _locate(self, place: requests.Place) -> tuple[LabGame, list[Position]]:
        def locate() -> tuple[LabGame, list[Position]]:
            game = self.lab.shelf.prepare(place.game)
            return game, game.locate(place)

        return await self._in_thread(locate)

    # ── positions and matches ───────────────────────────────────────────────────────

    async def _show_position(self, request: requests.ShowPosition) -> None:
        game, positions = await self._locate(request.place)
        last = None
        if request.place.moves:
            joint = complete_joint(positions[-2], request.place.moves[-1])
            last = positions[-2], joint
        draw = partial(view_position, flipped=request.flipped)
        step = len(request.place.moves)
        view = await self._in_thread(draw, game, positions[-1], step, last)
        view.re = request.id
        self.page.send(view)

    async def _open_match(self, request: requests.OpenMatch) -> None:
        game = await self._in_thread(self.lab.shelf.prepare, request.game)
        seed = secrets.randbelow(2**53) if request.seed is None else request.seed
        settings = MatchSettings(request.players, request.seconds, request.pace, seed)
        match = await self.lab.matches.open(game, settings, request.moves)
        self.page.send(events.MatchOpened(re=request.id, match=match.key))

    async def _follow_match(self, request: requests.FollowMatch) -> None:
        self.lab.matches.find(request.match).follow(self.page)
        self.page.send(events.Done(re=request.id))

    async def _leave_match(self, request: requests.LeaveMatch) -> None:
        self.lab.matches.find(request.match).leave(self.page)
        self.page.send(events.Done(re=request.id))

    async def _play_move(self, request: requests.PlayMove) -> None:
        match = self.lab.matches.find(request.match)
        match.play(request.role, request.move, request.step)
        self.page.send(events.Done(re=request.id))

    async def _take_back(self, request: requests.TakeBack) -> None:
        self.lab.matches.find(request.match).take_back()
        self.page.send(events.Done(re=request.id))

    async def _switch_sides(self, request: requests.SwitchSides) -> None:
        await self.lab.matches.find(request.match).switch_sides()
        self.page.send(events.Done(re=request.id))

    async def _set_pace(self, request: requests.SetPace) -> None:
        match = self.lab.matches.find(request.match)
        match.set_pace(request.pace, request.waiting)
        self.page.send(events.Done(re=request.id))

    async def _list_matches(self, request: requests.ListMatches) -> None:
        matches = self.lab.matches.summaries()
        found = await self._in_thread(self.lab.records.list_all, matches)
        found.tournaments = self.lab.tournaments.views()
        found.re = request.id
        self.page.send(found)

    async def _start_tournament(self, request: requests.StartTournament) -> None:
        game = await self._in_thread(self.lab.shelf.prepare, request.game)
        started = self.lab.tournaments.start(game, request.agents, request.rounds)
        self.page.send(events.TournamentStarted(re=request.id, name=started.name))

    async def _stop_tournament(self, request: requests.StopTournament) -> None:
        self.lab.tournaments.stop(request.name)
        self.page.send(events.Done(re=request.id))

    # ── searches ────────────────────────────────────────────────────────────────────

    async def _analyse(self, request: requests.Analyse) -> None:
        flag = self._begin("analysis")
        game, positions = await self._locate(request.place)
        spot = Spot(game, positions[-1], len(positions) - 1)
        await self._stream(
            "analysis",
            request.id,
            flag,
            lambda flag: search_position(spot, request.seconds, request.lines, flag),
        )

    async def _stop_analysis(self, request: requests.StopAnalysis) -> None:
        self._stop("analysis")
        self.page.send(events.Done(re=request.id))

    async def _review(self, request: requests.Review) -> None:
        flag = self._begin("review")
        game, positions = await self._locate(request.place)
        await self._stream(
            "review",
            request.id,
            flag,
            lambda flag: review_match(game, request.place, request.playouts, flag),
        )
        self.page.send(events.ReviewEnd(re=request.id, points=len(positions)))

    async def _stop_review(self, request: requests.StopReview) -> None:
        self._stop("review")
        self.page.send(events.Done(re=request.id))

    async def _ask_hint(self, request: requests.AskHint) -> None:
        game, positions = await self._locate(request.place)
        spot = Spot(game, positions[-1], len(positions) - 1)
        loop = asyncio.get_running_loop()
        hint = await loop.run_in_executor(self.lab.searches, find_hint, spot)
        hint.re = request.id
        self.page.send(hint)

    # ── records ─────────────────────────────────────────────────────────────────────

    async def _import_record(self, request: requests.ImportRecord) -> None:
        found = await self._in_thread(self.lab.records.read, request.text)
        found.re = request.id
        self.page.send(found)

    async def _follow_record(self, request: requests.FollowRecord) -> None:
        found = await self.lab.live.follow(request.path, self.page)
        found.re = request.id
        self.page.send(found)

    async def _leave_record(self, request: requests.LeaveRecord) -> None:
        self.lab.live.leave(self.page, request.path)
        self.page.send(events.Done(re=request.id))

    async def _export_record(self, request: requests.ExportRecord) -> None:
        game, positions = await self._locate(request.place)
        text = await self._in_thread(
            write_record, game, positions, request.place, request.players
        )
        text.re = request.id
        self.page.send(text)

    # ── rules ───────────────────────────────────────────────────────────────────────

    async def _list_files(self, request: requests.ListFiles) -> None:
        workspace = self.lab.workspace

        def find() -> list[events.FileEntry]:
            return [
                events.FileEntry(workspace.relative(path), path.stat().st_size)
                for path in workspace.list_files(RULES)
            ]

        files = await self._in_thread(find)
        self.page.send(events.FileList(re=request.id, files=files))

    async def _read_file(self, request: requests.ReadFile) -> None:
        read = self.lab.workspace.read_rules
        text, version = await self._in_thread(read, request.path)
        self.page.send(
            events.FileText(
                re=request.id, path=request.path, text=text, version=version
            )
        )

    async def _save_file(self, request: requests.SaveFile) -> None:
        write = self.lab.workspace.write_rules
        version = await self._in_thread(
            write, request.path, request.text, request.version
        )
        self.page.send(
            events.FileSaved(
                re=request.id,
                path=request.path,
                version=version,
                game=f"file:{request.path}",
            )
        )
        await self.greet("")

    async def _read_template(self, request: requests.ReadTemplate) -> None:
        text = read_template(request.name)
        self.page.send(events.FileText(re=request.id, path="", text=text, version=None))

    async def _check_draft(self, request: requests.CheckDraft) -> None:
        problems, relations = await self._in_thread(
            check_rules, request.text, request.name
        )
        self.page.send(
            events.DraftProblems(re=request.id, problems=problems, relations=relations)
        )
        if any(one.severity == "error" for one in problems):
            return
        prepared = await self._in_thread(
            self.lab.drafts.prepare, request.text, request.name
        )
        key = await self._in_thread(self.lab.shelf.keep, request.text, request.name)
        game, positions = await self._locate(requests.Place(key))
        view = await self._in_thread(view_position, game, positions[0], 0)
        self.page.send(
            events.DraftReport(
                re=request.id,
                problems=view_problems(list(prepared.problems)),
                engine=prepared.engine,
                fluents=prepared.fluents,
                moves=prepared.moves,
                gates=prepared.gates,
                game=key,
                view=view,
            )
        )

    async def _measure_draft(self, request: requests.MeasureDraft) -> None:
        flag = self._begin("figures")
        game = await self._in_thread(self.lab.shelf.prepare, request.game)
        await self._stream(
            "figures",
            request.id,
            flag,
            lambda flag: measure(game.simulator, request.seconds, flag),
        )

    async def _keep_draft(self, request: requests.KeepDraft) -> None:
        key = await self._in_thread(self.lab.shelf.keep, request.text, request.name)
        self.page.send(events.GameKept(re=request.id, game=key))

    # ── runs ────────────────────────────────────────────────────────────────────────

    async def _show_form(self, request: requests.ShowForm) -> None:
        self.page.send(
            events.RunForm(re=request.id, game=request.game, fields=make_form())
        )

    async def _start_run(self, request: requests.StartRun) -> None:
        run = await self.lab.runs.start(
            request.game, request.options, request.name, request.knowledge
        )
        self.page.send(events.RunStarted(re=request.id, run=run.spec.run))

    async def _start_race(self, request: requests.StartRace) -> None:
        source = self.lab.runs.find(request.source)
        await self.lab.runs.find_patterns(request.source)
        options = {
            **source.spec.options,
            "matches": request.matches,
            "seed": request.seed,
        }
        options.pop("minutes", None)
        label = (await self._in_thread(self.lab.shelf.load, request.game)).name
        runs = []
        for knowledge, name in (
            (None, f"{label}, from scratch"),
            (request.source, f"{label}, with {source.spec.label}"),
        ):
            run = await self.lab.runs.start(request.game, options, name, knowledge)
            runs.append(run.spec.run)
        self.page.send(events.RaceStarted(re=request.id, runs=runs))

    async def _pause_run(self, request: requests.PauseRun) -> None:
        await self.lab.runs.pause(request.run)
        self.page.send(events.Done(re=request.id))

    async def _resume_run(self, request: requests.ResumeRun) -> None:
        await self.lab.runs.resume(request.run, request.matches)
        self.page.send(events.Done(re=request.id))

    async def _remove_run(self, request: requests.RemoveRun) -> None:
        await self.lab.runs.remove(request.run)
        self.page.send(events.Done(re=request.id))

    async def _follow_runs(self, request: requests.FollowRuns) -> None:
        found = self.lab.runs.follow(self.page)
        found.re = request.id
        self.page.send(found)

    async def _leave_runs(self, request: requests.LeaveRuns) -> None:
        self.lab.runs.leave(self.page)
        self.page.send(events.Done(re=request.id))

    async def _show_patterns(self, request: requests.ShowPatterns) -> None:
        found = await self.lab.runs.find_patterns(request.run)
        found.re = request.id
        self.page.send(found)
