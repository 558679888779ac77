"""A game of your own: write its rules, check them, and watch a match."""

from __future__ import annotations

import gamelore

RULES = """
; Twenty-one: say one, two or three numbers in turn; whoever says 21 loses.
(role ann) (role bob)
(init (said 0)) (init (turn ann))
(other ann bob) (other bob ann)
(step one) (step two) (step three)

(<= (legal ?r ?s) (true (turn ?r)) (step ?s))
(<= (legal ?r wait) (true (turn ?o)) (other ?o ?r))

(<= (next (said ?m)) (true (said ?n)) (does ?r one) (succ ?n ?m))
(<= (next (said ?m)) (true (said ?n)) (does ?r two) (add2 ?n ?m))
(<= (next (said ?m)) (true (said ?n)) (does ?r three) (add2 ?n ?k) (succ ?k ?m))
(<= (next (turn ?o)) (true (turn ?r)) (other ?r ?o))
(<= (add2 ?n ?m) (succ ?n ?k) (succ ?k ?m))

(<= over (true (said ?n)) (final ?n))
(<= terminal over)
(final 21) (final 22) (final 23)
(<= (goal ?r 100) over (true (turn ?r)))
(<= (goal ?r 0) over (true (turn ?o)) (other ?o ?r))
(<= (goal ?r 50) (role ?r) (not over))
""" + "".join(f"(succ {n} {n + 1})\n" for n in range(23))


def main() -> None:
    engine = gamelore.simulator(gamelore.Game.from_kif(RULES, name="twenty-one"))
    wins = 0
    for seed in range(20):
        players: dict[str, gamelore.Player] = {
            "ann": gamelore.RandomPlayer(seed),
            "bob": gamelore.MonteCarloPlayer(seed),
        }
        record = gamelore.play_match(engine, players)
        wins += record.goals[1] == 100
    print(record)
    print(f"bob, who thinks ahead, won {wins} of 20 matches")


if __name__ == "__main__":
    main()
