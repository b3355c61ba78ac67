// Several runs side by side.
import { h, badge, label, number, refill, runLink, value } from "./dom.js";
import { Curves, get, runURL } from "./data.js";
import { colour, lines } from "./charts.js";
import { grouped } from "./run.js";
import { slider } from "./samples.js";

export async function comparePage(main, names) {
  names = [...new Set(names)];
  const curves = names.map((n) => new Curves(n));
  const charts = new Map();
  const configs = h("div", { class: "scroll" });
  const lasts = h("div", { class: "scroll" });
  const drawn = h("div", { class: "charts" });
  const samples = slider();
  main.replaceChildren(h("h1", {}, `${names.length} runs compared`),
    h("section", {}, h("h2", {}, "Where the configurations differ"), configs),
    h("section", {}, h("h2", {}, "Last records"), lasts),
    h("section", { "aria-label": "Curves" }, h("h2", {}, "Curves"), drawn), samples.root);

  const header = (runs, kind) => h("thead", {}, h("tr", {}, h("td"), runs.map((r, k) => {
    const dot = h("span", { class: "dot" });
    dot.style.background = colour(k);
    return h("th", { scope: "col", class: kind }, dot, h("a", { href: runLink(r.name) }, r.name), " ", badge(r.state));
  })));
  const row = (name, cells, kind) => h("tr", {}, h("th", { scope: "row" }, name), cells.map((c) => h("td", { class: kind }, c)));

  const update = async (changed) => {
    if (changed && !names.some((n) => changed.includes(n))) return;
    const query = names.map((n) => `run=${encodeURIComponent(n)}`).join("&");
    const [c, pages] = await Promise.all([get(`/api/compare?${query}`), Promise.all(names.map((n) => get(runURL(n)))), ...curves.map((x) => x.update())]);
    const states = c.runs.map((r) => r.state);
    refill(configs, [c.differences, states], () => c.differences.length === 0 ? h("p", {}, "They do not: the configurations are the same.")
      : h("table", { class: "pairs" }, header(c.runs), h("tbody", {}, c.differences.map((d) => row(d.key, d.values.map(value))))));
    const fields = [...new Set(["step", ...c.runs.flatMap((r) => Object.keys(r.last ?? {}))])];
    refill(lasts, [c.runs.map((r) => r.last), states], () => h("table", { class: "pairs" }, header(c.runs, "number"), h("tbody", {}, fields.map((f) => row(label(f), c.runs.map((r) => number(r.last?.[f])), "number")))));
    const all = grouped([...new Set(curves.flatMap((x) => [...x.columns.keys()].filter((n) => x.has(n))))]).flatMap((g) => g.names.sort());
    for (const n of all) {
      if (!charts.has(n)) charts.set(n, lines(label(n), "", "compare"));
      const chart = charts.get(n);
      if (!chart.figure.isConnected) drawn.append(chart.figure);
      chart.set(curves.map((x, k) => ({ label: names[k], stroke: colour(k), steps: x.step, mean: x.columns.get(n)?.mean ?? x.step.map(() => null) })));
    }
    samples.set(pages);
  };
  await update(null);
  return {
    title: `${names.length} runs compared`, page: "runs", update,
    close() {
      samples.destroy();
      for (const x of charts.values()) x.destroy();
    },
  };
}
