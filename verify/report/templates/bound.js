const COLOURS = ["#0173b2", "#de8f05", "#029e73", "#d55e00", "#cc78bc", "#ca9161", "#fbafe4", "#949494", "#ece133", "#56b4e9"];
// Terms beyond the number of colours take the colours again, hatched once more for each time.
const colour = (i) => COLOURS[i % COLOURS.length], hatched = (i) => Math.floor(i / COLOURS.length);
const swatch = (i) => hatched(i) ? `repeating-linear-gradient(45deg, ${colour(i)} 0 ${4 / hatched(i)}px, #000 0 ${4 / hatched(i) + 1.5}px)` : colour(i);
const fill = (i) => hatched(i) ? `url(#hatch-${i})` : colour(i);
const hatch = (i) => {
  const width = 12 / hatched(i);
  return `<pattern id="hatch-${i}" width="${width}" height="${width}" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="${width}" height="${width}" fill="${colour(i)}"/><line x1="0" x2="0" y1="0" y2="${width}" stroke="#000" stroke-width="3"/></pattern>`;
};
const POINTS = 160, LEFT = 64, RIGHT = 626, TOP = 12, BOTTOM = 340;
const $ = (id) => document.getElementById(id);
const values = Object.fromEntries(CONTENT.sliders.map((s) => [s.name, s.start]));
const sliderOf = Object.fromEntries(CONTENT.sliders.map((s) => [s.name, s]));

const ends = (s) => s.scale === "linear" ? [s.low, s.high] : [Math.log(s.low), Math.log(s.high)];
function valueAt(s, share) {
  const [low, high] = ends(s), x = low + (high - low) * share;
  if (s.scale === "linear") return x;
  return s.scale === "whole" ? Math.round(Math.exp(x)) : Number(Math.exp(x).toPrecision(4));
}
function shareOf(s, value) {
  const [low, high] = ends(s), x = s.scale === "linear" ? value : Math.log(Math.max(value, Number.MIN_VALUE));
  return Math.min(1, Math.max(0, (x - low) / (high - low)));
}
const text = (x) => Number.isFinite(x) ? String(Number(x.toPrecision(5))) : "no value";

function set(name, value) {
  if (!Number.isFinite(value)) return;
  values[name] = value;
  $("range-" + name).value = 1000 * shareOf(sliderOf[name], value);
  $("range-" + name).setAttribute("aria-valuetext", text(value));
  if (document.activeElement !== $("number-" + name)) $("number-" + name).value = Number(value.toPrecision(6));
  show();
}

function show() {
  const v = complete(values), bound = COMPUTE.bound(v), terms = COMPUTE.terms.map((f) => f(v));
  const whole = terms.reduce((sum, t) => sum + Math.abs(t), 0);
  const failing = CONTENT.limits.filter((_, i) => !COMPUTE.limits[i](v));
  const other = COMPUTE.other ? `; ${CONTENT.other.id}: ${text(COMPUTE.other(v))}` : "";
  $("value").textContent = text(bound) + other;
  $("verdict").textContent = failing.length ? "These conditions fail:" : "All conditions are met.";
  $("verdict").className = failing.length ? "" : "met";
  $("exact").textContent = CONTENT.runs.map((run) => {
    const nearest = run.points.reduce((a, x, j) => Math.abs(x - v[run.name]) < Math.abs(run.points[a] - v[run.name]) ? j : a, 0);
    return `Exact run at ${run.name} = ${text(run.points[nearest])}: ${text(run.values[nearest])}.`;
  }).join(" ");
  $("failing").innerHTML = failing.map((l) => `<li>${l.math}</li>`).join("");
  $("terms").innerHTML = CONTENT.terms.map((term, i) => [Math.abs(terms[i]), i, term.name]).sort((a, b) => b[0] - a[0]).map(([, i, name]) =>
    `<tr><th scope="row"><span class="swatch" style="background:${swatch(i)}"></span><code></code></th><td>${text(terms[i])}</td><td>${whole ? (100 * Math.abs(terms[i]) / whole).toFixed(1) : 0} %</td></tr>`).join("");
  [...$("terms").querySelectorAll("code")].forEach((code, row) => {
    code.textContent = CONTENT.terms.map((term, i) => [Math.abs(terms[i]), term.name]).sort((a, b) => b[0] - a[0])[row][1];
  });
  draw();
}

function draw() {
  const name = $("along").value, s = sliderOf[name];
  const xs = [...new Set(Array.from({ length: POINTS }, (_, i) => valueAt(s, i / (POINTS - 1))))];
  const at = (f) => xs.map((x) => f(complete({ ...values, [name]: x })));
  const bound = at(COMPUTE.bound), met = at((v) => COMPUTE.limits.every((f) => f(v)));
  const other = COMPUTE.other ? at(COMPUTE.other) : [];
  const stacks = [xs.map(() => 0)];
  COMPUTE.terms.forEach((f, i) => stacks.push(at(f).map((t, j) => stacks[i][j] + (t > 0 ? t : 0))));
  const runs = CONTENT.runs.filter((run) => run.name === name);
  const finite = bound.filter(Number.isFinite).sort((a, b) => a - b), now = COMPUTE.bound(complete(values));
  // The highest value shown is a few times the bound at the chosen values, so that a divergence does not flatten the rest.
  const high = Math.min(finite[finite.length - 1] || 1, 4 * Math.max(now, finite[Math.floor(finite.length / 2)] || 0, 1e-300)) || 1;
  const low = Math.min(0, finite[0] || 0);
  const X = (x) => LEFT + (RIGHT - LEFT) * shareOf(s, x);
  const Y = (y) => BOTTOM - (BOTTOM - TOP) * (Math.min(Math.max(y, low), high) - low) / (high - low);
  const path = (ys) => ys.map((y, j) => Number.isFinite(y) ? `${X(xs[j]).toFixed(1)},${Y(y).toFixed(1)}` : null).filter(Boolean).join(" ");
  const hatches = COMPUTE.terms.map((_, i) => hatched(i) ? hatch(i) : "").join("");
  const parts = COMPUTE.terms.map((_, i) =>
    `<polygon fill="${fill(i)}" opacity="0.75" points="${path(stacks[i + 1])} ${path(stacks[i]).split(" ").reverse().join(" ")}"/>`);
  met.forEach((ok, j) => {
    if (ok) return;
    const from = j ? (X(xs[j - 1]) + X(xs[j])) / 2 : X(xs[j]), to = j + 1 < xs.length ? (X(xs[j]) + X(xs[j + 1])) / 2 : X(xs[j]);
    parts.push(`<rect class="fail" x="${from}" y="${TOP}" width="${to - from}" height="${BOTTOM - TOP}"/>`);
  });
  parts.push(`<polyline class="bound" points="${path(bound)}"/>`);
  if (other.length) parts.push(`<polyline class="other" points="${path(other)}"/>`);
  runs.forEach((run) => run.points.forEach((x, j) => parts.push(`<circle class="run" r="3.5" cx="${X(x)}" cy="${Y(run.values[j])}"/>`)));
  parts.push(`<line class="now" x1="${X(values[name])}" x2="${X(values[name])}" y1="${TOP}" y2="${BOTTOM}"/>`);
  parts.push(`<line class="axis" x1="${LEFT}" x2="${RIGHT}" y1="${BOTTOM}" y2="${BOTTOM}"/><line class="axis" x1="${LEFT}" x2="${LEFT}" y1="${TOP}" y2="${BOTTOM}"/>`);
  for (let i = 0; i <= 4; i++) {
    const y = low + (high - low) * i / 4, x = valueAt(s, i / 4);
    parts.push(`<text x="${LEFT - 6}" y="${Y(y) + 4}" text-anchor="end">${Number(y.toPrecision(3))}</text>`);
    parts.push(`<text x="${X(x)}" y="${BOTTOM + 18}" text-anchor="${i === 4 ? "end" : "middle"}">${Number(x.toPrecision(3))}</text>`);
  }
  parts.push(`<text x="${(LEFT + RIGHT) / 2}" y="${BOTTOM + 36}" text-anchor="middle">${name}</text>`);
  $("chart").innerHTML = `<defs>${hatches}</defs>` + parts.join("");
}

for (const s of CONTENT.sliders) {
  $("range-" + s.name).addEventListener("input", (event) => set(s.name, valueAt(s, event.target.value / 1000)));
  $("number-" + s.name).addEventListener("input", (event) => set(s.name, event.target.value === "" ? NaN : Number(event.target.value)));
}
document.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
$("along").addEventListener("change", draw);
$("along").value = CONTENT.sliders.some((s) => s.name === "T") ? "T" : CONTENT.sliders[0].name;
for (const s of CONTENT.sliders) set(s.name, s.start);
