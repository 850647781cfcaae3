"use strict";
(async () => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  // Details of a large report are one compressed text.
  const held = document.getElementById("packed");
  if (held) {
    const bytes = Uint8Array.from(atob(held.textContent), (letter) => letter.charCodeAt(0));
    const [parts, like] = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
    for (const [name, pieces] of Object.entries(like)) {
      let next = 0;
      for (const place of parts.keys()) parts[place] = parts[place].replaceAll(`<${name}/>`, () => pieces[next++]);
    }
    for (const place of all("[data-pack]")) {
      if (place.tagName === "NOSCRIPT") place.textContent = parts[place.dataset.pack]; else place.innerHTML = parts[place.dataset.pack];
    }
    held.remove();
  }
  const pages = all(".page"), cards = all(".card"), filters = document.querySelector(".filters");
  // A row is filtered and sorted by the words that it shows.
  const ranks = [...filters.elements.verdict.options].map((option) => option.value);
  for (const [place, card] of cards.entries()) {
    for (const name of ["id", "kind", "evidence"]) card.dataset[name] = card.querySelector(`summary > .${name}`).textContent;
    card.dataset.weight = place;
    card.dataset.rank = ranks.indexOf(card.dataset.verdict);
  }
  const texts = new Map(), byId = new Map(cards.map((card) => [card.dataset.id, card]));

  // What a statement's fold holds is text until it is opened, so that the page is ready at once; without scripts a
  // browser reads it as it is.
  function fill(card) {
    const held = card.querySelector("noscript");
    if (held) held.outerHTML = held.textContent;
  }
  addEventListener("toggle", ({ target }) => { if (target.open && target.matches(".card")) fill(target); }, true);

  // Pages: one at a time, chosen by the part of the address after "#".
  function show() {
    const [id, step] = (decodeURIComponent(location.hash.slice(1)) || "overview").split("~");
    const everything = id === "everything";
    const card = byId.get(id);
    if (card) fill(card);
    const target = card ?? document.getElementById(id);
    const page = target?.closest(".page") ?? pages[0];
    document.body.classList.toggle("everything", everything);
    for (const one of pages) one.hidden = everything ? !one.dataset.paper : one !== page;
    for (const link of all(".top nav a")) {
      const here = link.hash.slice(1) === (everything ? id : page.id);
      here ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
    }
    filters.hidden = !(everything || page.dataset.paper);
    filters.elements.paper.value = everything ? "" : page.dataset.paper ?? "";
    if (target?.matches(".theorem > .body")) target.parentElement.open = true;
    for (let fold = target?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    if (target && target !== page) (target.closest("details") ?? target).scrollIntoView();
    else scrollTo(0, 0);
    if (step) target?.querySelector("figure.proof")?.focusOn(step);
    count();
  }

  // Filters.
  const text = (card) => {
    if (!texts.has(card)) texts.set(card, card.textContent.replace(/<[^>]*>/g, " ").replaceAll("\\", "").toLowerCase());
    return texts.get(card);
  };
  function filter() {
    const { verdict, kind, evidence } = filters.elements;
    const words = filters.elements.text.value.replaceAll("\\", "").toLowerCase().split(/\s+/).filter(Boolean);
    for (const card of cards) {
      const data = card.dataset;
      card.hidden = !((!verdict.value || data.verdict === verdict.value || (verdict.value === "damaged" && "damaged" in data))
        && (!kind.value || data.kind === kind.value) && (!evidence.value || data.evidence === evidence.value)
        && words.every((word) => text(card).includes(word)));
    }
    count();
  }
  function count() {
    const here = cards.filter((card) => !card.closest(".page").hidden);
    filters.elements.shown.value = `${here.filter((card) => !card.hidden).length} of ${here.length} shown`;
  }
  filters.addEventListener("input", (event) => {
    if (event.target.name === "paper") location.hash = event.target.value ? `paper-${event.target.value}` : "everything";
    else filter();
  });
  filters.addEventListener("reset", () => setTimeout(() => { show(); filter(); }));
  filters.addEventListener("submit", (event) => event.preventDefault());

  // Sorted columns; a second press turns the order round.
  const keys = {
    weight: (card) => +card.dataset.weight, verdict: (card) => +card.dataset.rank, kind: (card) => card.dataset.kind,
    id: (card) => card.dataset.id, evidence: (card) => card.dataset.evidence,
    ratio: (card) => -(card.dataset.ratio || -Infinity), seconds: (card) => -card.dataset.seconds,
  };
  const names = new Intl.Collator("en", { numeric: true });
  function sort(button) {
    const page = button.closest(".page"), key = keys[button.dataset.sort];
    const turned = button.getAttribute("aria-pressed") === "true" && !button.dataset.turned;
    for (const other of all("[data-sort]", page)) { other.setAttribute("aria-pressed", other === button); delete other.dataset.turned; }
    if (turned) button.dataset.turned = "yes";
    for (const list of all(".statements", page)) {
      const known = all(".card", list).map((card) => [key(card), card]);
      known.sort(([a], [b]) => (typeof a === "string" ? names.compare(a, b) : a - b) * (turned ? -1 : 1));
      list.append(...known.map(([, card]) => card));
    }
  }
  for (const columns of all(".columns")) columns.hidden = false;
  for (const button of all("[data-sort]")) button.addEventListener("click", () => sort(button));

  // Graphs of proofs: focus on a node, fold what serves only it, zoom.
  function graph(figure) {
    const tools = figure.querySelector(".tools"), views = all(".canvas", figure), folded = new Set(), roots = figure.dataset.roots.split(" ");
    const view = tools.querySelector("[data-tool=view]"), depth = tools.querySelector("[data-tool=depth]");
    const fold = tools.querySelector("[data-tool=fold]"), about = tools.querySelector("output");
    let chosen = null;
    const shown = () => views.find((canvas) => !canvas.hidden);
    const choose = (name) => { for (const canvas of views) canvas.hidden = canvas.dataset.view !== name; for (const head of all("h4", figure)) head.hidden = true; };
    function reach(starts, edges, from, to, most) {
      const found = new Map([...starts].map((id) => [id, 0]));
      for (const [id, far] of found) if (far < most) for (const edge of edges) if (edge.dataset[from] === id && !found.has(edge.dataset[to])) found.set(edge.dataset[to], far + 1);
      return found;
    }
    function draw() {
      const canvas = shown(), edges = all(".edge", canvas), nodes = all(".node", canvas);
      const open = edges.filter((edge) => !folded.has(edge.dataset.a));
      const visible = folded.size ? reach(new Set(roots), open, "a", "b", Infinity) : null;
      for (const node of nodes) { node.classList.toggle("gone", Boolean(visible && !visible.has(node.dataset.id))); node.classList.toggle("folded", folded.has(node.dataset.id)); }
      for (const edge of edges) edge.classList.toggle("gone", Boolean(visible && (!visible.has(edge.dataset.a) || folded.has(edge.dataset.a))));
      const node = nodes.find((one) => one.dataset.id === chosen);
      canvas.classList.toggle("focused", Boolean(node));
      fold.disabled = !node || canvas.dataset.view !== "steps";
      fold.textContent = folded.has(chosen) ? "Unfold its support" : "Fold its support";
      about.replaceChildren();
      if (!node) return;
      const up = reach([chosen], edges, "b", "a", +depth.value), down = reach([chosen], edges, "a", "b", +depth.value);
      for (const one of nodes) { one.classList.toggle("near", up.has(one.dataset.id) || down.has(one.dataset.id)); one.classList.toggle("chosen", one === node); }
      for (const edge of edges) edge.classList.toggle("near", (up.has(edge.dataset.a) && up.has(edge.dataset.b)) || (down.has(edge.dataset.a) && down.has(edge.dataset.b)));
      about.append(`${node.querySelector("title").textContent}; rests on ${down.size - 1}, serves ${up.size - 1} `);
      const add = (href, text) => { const link = document.createElement("a"); link.href = href; link.textContent = text; about.append(link, " "); };
      if (node.href) add(node.href.baseVal, "its page");
      if (figure.dataset.theorem) add(`#${figure.dataset.theorem}~${chosen}`, "link to this view");
    }
    function centre(id) {
      const canvas = shown(), node = all(".node", canvas).find((one) => one.dataset.id === id) ?? canvas.querySelector(".node");
      const place = node.getBoundingClientRect(), box = canvas.getBoundingClientRect();
      canvas.scrollBy(place.x + place.width / 2 - box.x - canvas.clientWidth / 2, place.y - box.y - canvas.clientHeight / 2);
    }
    figure.focusOn = (id) => {
      if (view) { view.value = "steps"; choose("steps"); }
      chosen = id;
      draw();
      figure.scrollIntoView();
      centre(id);
    };
    function zoom(factor) {
      const svg = shown().querySelector("svg"), box = svg.viewBox.baseVal;
      const width = factor ? svg.width.baseVal.value * factor : Math.min(shown().clientWidth, box.width);
      svg.setAttribute("width", width); svg.setAttribute("height", width * box.height / box.width);
    }
    for (const canvas of views) canvas.addEventListener("click", (event) => {
      const node = event.target.closest(".node");
      if (event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      chosen = node && node.dataset.id !== chosen ? node.dataset.id : null;
      draw();
    });
    tools.addEventListener("input", (event) => {
      if (event.target === view) { choose(view.value); centre(chosen ?? roots[0]); }
      draw();
    });
    figure.closest("details.theorem").addEventListener("toggle", () => { if (!chosen) centre(roots[0]); });
    figure.addEventListener("keydown", (event) => {
      const node = event.target.closest("g.node");
      if (node && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); node.dispatchEvent(new MouseEvent("click", { bubbles: true })); }
    });
    tools.addEventListener("click", (event) => {
      const tool = event.target.dataset.tool;
      if (tool === "in") zoom(1.3); else if (tool === "out") zoom(1 / 1.3); else if (tool === "fit") zoom(0);
      else if (tool === "fold") { folded.delete(chosen) || folded.add(chosen); draw(); }
      else if (tool === "all") { folded.clear(); chosen = null; draw(); }
    });
    tools.hidden = false;
    choose(view ? view.value : "steps");
  }
  for (const figure of all("figure.proof")) graph(figure);

  // A file that a button offers is made when the button is pressed.
  addEventListener("click", ({ target }) => {
    const button = target.closest?.("[data-file]");
    if (!button) return;
    const content = JSON.stringify(JSON.parse(button.querySelector("template").content.textContent), null, 1);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([content], { type: "application/json" }));
    link.download = button.dataset.file;
    link.click();
    URL.revokeObjectURL(link.href);
  });

  document.documentElement.classList.remove("starting");
  addEventListener("hashchange", show);

  // While a page is printed, the hidden pages leave the document: Chromium takes six times as long if they stay.
  let away = [];
  addEventListener("beforeprint", () => {
    for (const card of all(".page:not([hidden]) .card:not([hidden])")) { fill(card); card.open = true; }
    away = all(".page[hidden]").map((page) => {
      const place = document.createComment("");
      page.replaceWith(place);
      return [place, page];
    });
  });
  addEventListener("afterprint", () => {
    for (const [place, page] of away) place.replaceWith(page);
    away = [];
  });
  show();
})();
