// The page of all runs.
import { h, ago, badge, compareLink, number, runLink, whole } from "./dom.js";
import { get } from "./data.js";

const speed = (r) => r.last?.images_per_second;
const loss = (r) => r.last?.critic_loss ?? r.last?.loss;
const columns = [
  { head: "Run", key: (r) => r.name, cell: (r) => h("a", { href: runLink(r.name), "data-run": r.name }, r.name) },
  { head: "State", key: (r) => r.state, cell: (r) => badge(r.state) },
  { head: "Step", key: (r) => r.step, cell: steps, number: true },
  { head: "Critic loss", key: loss, cell: (r) => number(loss(r)), number: true, wide: true },
  { head: "Divergence", key: (r) => r.last?.divergence, cell: (r) => number(r.last?.divergence), number: true, wide: true },
  { head: "Samples/s", key: speed, cell: (r) => (speed(r) ? whole(Math.round(speed(r))) : "–"), number: true, wide: true },
  { head: "Changed", key: (r) => Date.parse(r.updated), cell: (r) => h("time", { datetime: r.updated, title: r.updated }, ago(r.updated)), number: true, class: "changed" },
  { head: "Data", key: (r) => r.data, cell: (r) => r.data || "–", wide: true },
];

function steps(r) {
  if (!r.steps) return whole(r.step);
  return [`${whole(r.step)} / ${whole(r.steps)} `, h("progress", { max: r.steps, value: r.step, "aria-label": `${r.name}: part done` })];
}

export async function listPage(main) {
  let runs = [];
  let by = 6;
  let down = true;
  const chosen = new Set();
  const filter = h("input", { type: "search", id: "filter", placeholder: "Filter ( / )", "aria-label": "Filter runs by name, state or data", oninput: () => draw() });
  const compare = h("button", { type: "button", class: "main", onclick: () => { location.hash = compareLink([...chosen]); } });
  const count = h("p", { class: "dim", role: "status" });
  const body = h("tbody");
  const heads = columns.map((c, k) => h("th", { scope: "col", class: classes(c) }, h("button", { type: "button", onclick: () => sort(k) }, c.head)));
  const table = h("table", { class: "runs" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, h("span", { class: "hidden" }, "Compare")), heads)), body);
  const problems = h("ul", { class: "problems" });
  const empty = h("div", { class: "note" }, h("p", {}, "There are no runs in this folder yet. This page shows them as they come:"),
    h("pre", {}, "rot gan train --data synth:eight,n=4000 --outliers synth:far@0.05"));
  main.replaceChildren(h("h1", {}, "Runs"), h("div", { class: "bar" }, filter, compare, count), empty, h("div", { class: "scroll" }, table), problems);

  function sort(k) {
    down = k === by ? !down : columns[k].number ?? false;
    by = k;
    draw();
  }

  function draw() {
    const words = filter.value.toLowerCase().split(/\s+/);
    const shown = runs.filter((r) => words.every((w) => `${r.name} ${r.kind} ${r.state} ${r.data}`.toLowerCase().includes(w)));
    const key = columns[by].key;
    shown.sort((a, b) => {
      const [x, y] = [key(a), key(b)];
      if (x === y) return a.name < b.name ? -1 : 1;
      if (x === undefined || x === null) return 1;
      if (y === undefined || y === null) return -1;
      return (x < y ? -1 : 1) * (down ? -1 : 1);
    });
    heads.forEach((th, k) => (k === by ? th.setAttribute("aria-sort", down ? "descending" : "ascending") : th.removeAttribute("aria-sort")));
    const { tagName, dataset } = document.activeElement ?? {}; // rows are made anew
    body.replaceChildren(...shown.map(row));
    if (dataset?.run) [...body.querySelectorAll(tagName)].find((e) => e.dataset.run === dataset.run)?.focus();
    table.hidden = runs.length === 0;
    empty.hidden = runs.length > 0;
    const training = runs.filter((r) => r.state === "training").length;
    count.textContent = `${shown.length} of ${runs.length}` + (training ? `, ${training} training` : "");
    choose();
  }

  function row(r) {
    const box = h("input", { type: "checkbox", "data-run": r.name, "aria-label": `Compare ${r.name}`, checked: chosen.has(r.name),
      onchange: () => { box.checked ? chosen.add(r.name) : chosen.delete(r.name); choose(); } });
    return h("tr", {}, h("td", {}, box), columns.map((c) => h("td", { class: classes(c) }, c.cell(r))));
  }

  function choose() {
    compare.disabled = chosen.size < 2 || chosen.size > 12;
    compare.textContent = chosen.size > 12 ? "Compare up to 12" : chosen.size < 2 ? "Compare: tick two" : `Compare ${chosen.size}`;
  }

  const update = async () => {
    const list = await get("/api/runs");
    runs = list.runs;
    for (const name of chosen) if (!runs.some((r) => r.name === name)) chosen.delete(name);
    problems.replaceChildren(...list.problems.map((p) => h("li", {}, p)));
    draw();
  };
  await update();
  return { title: "Runs", page: "runs", update };
}

const classes = (c) => [c.number && "number", c.wide && "wide", c.class].filter(Boolean).join(" ");
