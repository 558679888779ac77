"""Write weights that come with gamelore: of a checkpoint, with how they were learned.

    python benchmarks/ship_weights.py c4.ckpt --minutes 10 \\
        --strength "keeps the result in 93% of decisive positions without search"
"""

from __future__ import annotations

import argparse
from pathlib import Path

from gamelore.files import write_atomic
from gamelore.graph import StateGraph
from gamelore.learn.snapshots import Snapshot
from gamelore.values.shipped import FOLDER, write_weights


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--minutes", type=float, required=True, help="of training")
    parser.add_argument("--strength", required=True, help="what was measured")
    parser.add_argument(
        "--search",
        choices=("alpha-beta", "tree"),
        default="alpha-beta",
        help="what plays best over them",
    )
    args = parser.parse_args()
    snapshot = Snapshot.load(args.checkpoint)
    checkpoint = snapshot.checkpoint
    trainer = checkpoint.trainer(StateGraph(snapshot.engine()))
    if trainer.function is None:
        parser.error("the checkpoint has a table")
    about = (
        f"an n-tuple network after {checkpoint.matches:,} matches of self-play"
        f" ({args.minutes:g} minutes of one core); {args.strength}"
    )
    content = write_weights(
        trainer.function, checkpoint.config.seed, about, args.search
    )
    path = FOLDER / f"{checkpoint.game}.npz"
    write_atomic(path, content)
    print(f"{path}: {len(content):,} bytes; {about}")


if __name__ == "__main__":
    main()
