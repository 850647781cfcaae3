"""A printed table whose columns must fit each other. Judge it with `python -m verify check THIS_FILE`."""

import sympy as sp

from verify import Notes

notes = Notes("mine")  # the first part of every id
before, after, printed = notes.real("before after printed")


# Numbers are text, so that no digit is lost. They are rounded: 0.688 - 0.664 = 0.024 may be printed as in method B.
rows = {
    "method A": {"before": "0.71", "after": "0.64", "printed": "-0.07"},
    "method B": {"before": "0.69", "after": "0.66", "printed": "-0.02"},
    "method C": {"before": "0.70", "after": "0.65", "printed": "-0.02"},
}
notes.table("forgetting", sp.Eq(printed, after - before), rows)

CLAIMS = notes.claims
