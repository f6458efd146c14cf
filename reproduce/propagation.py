"""The figures of kNN label distribution propagation: accuracy (needs --data), runtime, steps."""

from pathlib import Path

from reproduce import ldp_figure1, ldp_figure2, ldp_figure3
from reproduce.output import arguments_with_out, write


def main() -> None:
    """Compute and draw the figures for which there is data."""
    parser = arguments_with_out(__doc__)
    parser.add_argument("--data", type=Path, help="folder of Parquet files, target `class`")
    arguments = parser.parse_args()
    write(ldp_figure3, ldp_figure3.compute(), arguments.out)
    write(ldp_figure2, ldp_figure2.compute(), arguments.out)
    if arguments.data is None:
        print("ldp_figure1 was not recomputed: pass its data sets with --data (make: DATA=folder).")
        return
    ldp_figure1.measure(arguments.data)
    write(ldp_figure1, ldp_figure1.compute(ldp_figure1.ACCURACIES), arguments.out)


if __name__ == "__main__":
    main()
