"""A statistic and a part cost become a partition, a grid or weights; arrays in and out."""
