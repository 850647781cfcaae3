"""`python -m verify`: judge statements, replay counterexamples, check theorems of your own."""

from verify.commands.main import main

if __name__ == "__main__":
    raise SystemExit(main())
