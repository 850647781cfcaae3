"""The descent lemma, and the same with half the curvature term."""

from verify import Notes, points, worlds
from verify.quantities import L, apart2, f_x, f_y, slope_x

notes = Notes("descent")
here = points(worlds.smooth())
notes.claim("lemma", f_y <= f_x + slope_x + L / 2 * apart2, scene=here)
notes.claim("lemma/half", f_y <= f_x + slope_x + L / 4 * apart2, scene=here)
CLAIMS = notes.claims
