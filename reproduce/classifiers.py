"""Table 2 and figures 4 and 5 of Boullé 2007: the classifiers on the UCI sets (needs --data)."""

from pathlib import Path

from reproduce import boulle_figure4, boulle_figure5, boulle_table2
from reproduce.output import arguments_with_out, write


def main() -> None:
    """Measure what is missing, print the table and draw the figures."""
    parser = arguments_with_out(__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of Parquet files")
    arguments = parser.parse_args()
    boulle_table2.measure(arguments.data)
    print(boulle_table2.table(boulle_table2.RESULTS).to_string())
    for figure in (boulle_figure4, boulle_figure5):
        write(figure, figure.compute(), arguments.out)


if __name__ == "__main__":
    main()
