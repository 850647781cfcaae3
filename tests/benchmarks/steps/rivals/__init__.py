"""Other tools that prove or refute a step, each with the form in which it can state the claim."""
