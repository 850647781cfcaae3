"""A theorem about a function at two points. Judge it with `python -m verify check THIS_FILE`."""

from verify import Notes, points, worlds
from verify.quantities import L, apart2, f_x, f_y, grad2_x, slope_x, turn2

notes = Notes("mine")  # the first part of every id

# A class of losses: quadratics, strongly_convex, convex, smooth. The known worst cases are among them.
# f_x, f_y: losses; slope_x = <grad f(x), y - x>; grad2_x, turn2 (difference of gradients), apart2: squared lengths.
two_points = points(worlds.convex(dim=(1, 2)))

notes.claim("descent", f_y <= f_x + slope_x + L / 2 * apart2, scene=two_points)
notes.claim("interpolation", f_y >= f_x + slope_x + turn2 / (2 * L), scene=two_points)
notes.claim("too-good", f_y >= f_x + slope_x + grad2_x / (2 * L), scene=two_points)

CLAIMS = notes.claims
