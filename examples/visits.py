"""Write visits of customers to a shop as a CSV file: some customers buy more often than others."""

import csv
import sys
from datetime import date, timedelta
from pathlib import Path

import numpy as np

N_CUSTOMERS = 200
N_VISITS = 8


def main(path: Path) -> None:
    """Write the file, with the column `buys`."""
    rng = np.random.default_rng(0)
    customers = np.repeat(np.arange(N_CUSTOMERS), N_VISITS)
    days = [date(2024, 1, 1) + timedelta(int(k)) for k in rng.integers(0, 366, len(customers))]
    keen = rng.random(N_CUSTOMERS) < 0.4
    weekend = np.array([day.weekday() > 4 for day in days])
    buys = rng.random(len(customers)) < 0.1 + 0.6 * keen[customers] + 0.2 * weekend
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["customer", "day", "buys"])
        texts = np.where(buys, "yes", "no").tolist()
        rows.writerows(zip((f"c{k:03d}" for k in customers), days, texts, strict=True))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
