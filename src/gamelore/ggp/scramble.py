"""Rules under other names, so that no player can know a game by its words.

Every symbol and variable gets a word that can be pronounced and means nothing; GDL's
own words, integers and the role `random` are kept, since they have a meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from random import Random

from gamelore.errors import MessageError
from gamelore.gdl import And, Atom, Compound, Condition, Game, Not, Or, Rule, Variable
from gamelore.gdl.reader import KEYWORDS
from gamelore.gdl.terms import Term, parts
from gamelore.match.match import CHANCE

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
        self._words = {token: next(words) for token in tokens if not _is_kept(token)}
        self._meanings = {word: token for token, word in self._words.items()}
        rules = tuple(_renamed_rule(rule, self._words) for rule in game.rules)
        roles = tuple(_renamed_name(role, self._words) for role in game.roles)
        self.game = replace(game, rules=rules, roles=roles, source="", renderer=None)

    def to_scrambled(self, term: Term) -> Term:
        """A term of the game in the players' words."""
        return _renamed(term, self._words)

    def to_original(self, term: Term) -> Term:
        """A term in the players' words in those of the game.

        `MessageError` at a word that was not given out, even if it is one of the game's
        own: to the players those have no meaning.
        """
        for token in _tokens(term):
            if token not in self._meanings and not _is_kept(token):
                raise MessageError(f"unknown word {token}")
        return _renamed(term, self._meanings)


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
        yield from _tokens_of_condition(condition)


def _tokens_of_condition(condition: Condition) -> Iterator[str]:
    match condition:
        case Atom():
            yield _bare(condition.relation)
            for argument in condition.arguments:
                yield from _tokens(argument)
        case Not():
            yield from _tokens_of_condition(condition.condition)
        case Or():
            for option in condition.options:
                yield from _tokens_of_condition(option)
        case And():
            for part in condition.parts:
                yield from _tokens_of_condition(part)


def _tokens(term: Term) -> Iterator[str]:
    for part in parts(term):
        match part:
            case Compound():
                yield part.functor
            case Variable():
                yield part.name
            case _:
                yield _bare(part)


def _bare(name: str) -> str:
    """`p` for `(p)`, whose parentheses are part of its name."""
    return name.strip("()")


def _renamed_rule(rule: Rule, words: Mapping[str, str]) -> Rule:
    head = _renamed_condition(rule.head, words)
    assert isinstance(head, Atom)
    return Rule(head, tuple(_renamed_condition(part, words) for part in rule.body))


def _renamed_condition(condition: Condition, words: Mapping[str, str]) -> Condition:
    match condition:
        case Atom():
            arguments = tuple(_renamed(part, words) for part in condition.arguments)
            return Atom(_renamed_name(condition.relation, words), arguments)
        case Not():
            return Not(_renamed_condition(condition.condition, words))
        case Or():
            options = (_renamed_condition(part, words) for part in condition.options)
            return Or(tuple(options))
        case And():
            inner = (_renamed_condition(part, words) for part in condition.parts)
            return And(tuple(inner))


def _renamed(term: Term, words: Mapping[str, str]) -> Term:
    match term:
        case Compound():
            arguments = tuple(_renamed(part, words) for part in term.arguments)
            return Compound(words.get(term.functor, term.functor), arguments)
        case Variable():
            return Variable(words.get(term.name, term.name))
        case _:
            return _renamed_name(term, words)


def _renamed_name(name: str, words: Mapping[str, str]) -> str:
    bare = _bare(name)
    word = words.get(bare, bare)
    return f"({word})" if bare != name else word
