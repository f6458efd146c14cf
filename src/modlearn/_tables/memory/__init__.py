"""Tables in memory: data frames and arrays."""
