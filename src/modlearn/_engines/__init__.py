"""Tables that stay where they are: engines count their rows, and only statistics travel."""
