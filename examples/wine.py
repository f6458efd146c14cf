"""Write the Wine data of scikit-learn as a CSV file, as a user would have it."""

import csv
import sys
from pathlib import Path

from sklearn.datasets import load_wine


def main(path: Path) -> None:
    """Write the file, with the grower of each wine in the column `class`."""
    wine = load_wine()
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow([*wine.feature_names, "class"])
        growers = wine.target_names[wine.target]
        rows.writerows([*line, grower] for line, grower in zip(wine.data, growers, strict=True))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
