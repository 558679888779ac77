"""Rules under other names, so that no player can know a game by its words.

Every symbol and variable gets a word that can be pronounced and means nothing; GDL's
own words, integers and the role `random` are kept, since they have a meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from gamelore.errors import MessageError
from gamelore.gdl import Compound, Game, Rule, Variable, find_atoms
from gamelore.gdl.canonical import Renaming
from gamelore.gdl.reader import KEYWORDS
from gamelore.gdl.terms import Term, parts
from gamelore.match.record import CHANCE

_CONSONANTS = "bdfghjklmnprstvz"
_VOWELS = "aeiou"
_SYLLABLES = (2, 3, 4)
_INTEGER = re.compile(r"[+-]?[0-9]+")
_AVOIDED = {*KEYWORDS, CHANCE, "nil"}


class Scramble:
    """A game under other names, and the way back; a seed always gives the same."""

    def __init__(self, game: Game, seed: int) -> None:
        words = _new_words(Random(seed))
        tokens = dict.fromkeys(
            token for rule in game.rules for token in _tokens_of_rule(rule)
        )
        names = {token: next(words) for token in tokens if not _is_kept(token)}
        propositions = {f"({token})": f"({word})" for token, word in names.items()}
        self._renaming = Renaming({**names, **propositions}, names)
        self.game = self._renaming.rename_game(game)

    def to_scrambled(self, term: Term) -> Term:
        """Return a term of the game in the players' words."""
        return self._renaming.rename(term)

    def to_original(self, term: Term) -> Term:
        """Return a term in the players' words in those of the game.

        `MessageError` at a word that was not given out, even if it is one of the game's
        own: to the players those have no meaning.
        """
        inverse = self._renaming.inverse
        for token in _tokens(term):
            if token not in inverse.variables and not _is_kept(token):
                raise MessageError(f"unknown word {token}")
        return inverse.rename(term)


def _is_kept(token: str) -> bool:
    return (
        token.lower() in KEYWORDS
        or token == CHANCE
        or _INTEGER.fullmatch(token) is not None
    )


def _new_words(random: Random) -> Iterator[str]:
    """Words without end, each once, longer ones where the short ones run out."""
    used = set(_AVOIDED)
    while True:
        for syllables in _SYLLABLES:
            word = "".join(
                random.choice(_CONSONANTS) + random.choice(_VOWELS)
                for _ in range(syllables)
            )
            if word not in used:
                used.add(word)
                yield word


def _tokens_of_rule(rule: Rule) -> Iterator[str]:
    for condition in (rule.head, *rule.body):
        for atom, _ in find_atoms(condition):
            for term in (atom.relation, *atom.arguments):
                yield from _tokens(term)


def _tokens(term: Term) -> Iterator[str]:
    """Yield the words of a term: `p` for `(p)`, whose parentheses are of its name."""
    for part in parts(term):
        match part:
            case Compound():
                yield part.functor
            case Variable():
                yield part.name
            case _:
                yield part.strip("()")
