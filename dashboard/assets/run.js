// The page of one run.
import { h, ago, badge, bytes, duration, fileURL, label, number, refill, value, whole } from "./dom.js";
import { Curves, get, runURL } from "./data.js";
import { histogram, lines } from "./charts.js";
import { slider } from "./samples.js";

// groups are the charts, in order: a curve is drawn in the first that takes it.
const groups = [
  { title: "Losses", takes: (n) => /(^|_)loss$/.test(n) },
  { title: "Divergence of the weights", note: "(1/2n) Σ (w − 1)²; the ball ends at ρ", takes: (n) => n === "divergence" },
  { title: "Throughput", note: "samples a second", takes: (n) => n === "images_per_second" },
];
const untold = new Set(["seconds"]);

export function grouped(names) {
  const out = groups.map((g) => ({ ...g, names: names.filter((n) => g.takes(n)) }));
  const rest = names.filter((n) => !untold.has(n) && !groups.some((g) => g.takes(n)));
  return [...out, ...rest.sort().map((n) => ({ title: label(n), names: [n] }))].filter((g) => g.names.length > 0);
}

export async function runPage(main, [name]) {
  const curves = new Curves(name);
  const charts = new Map();
  const head = h("div");
  const drawn = h("div", { class: "charts" });
  const note = h("p", { class: "dim" });
  const samples = slider();
  const weights = h("div");
  const pictures = h("div", { class: "pictures still" });
  const config = h("div", { class: "scroll" });
  const files = h("ul", { class: "files" });
  const bars = histogram("Weights of the samples");
  const still = h("section", {}, h("h2", {}, "Weights"), weights, pictures);
  main.replaceChildren(head, h("section", { "aria-label": "Curves" }, h("h2", {}, "Curves"), drawn, note), samples.root, still,
    h("section", {}, h("h2", {}, "Configuration"), config), h("section", {}, h("h2", {}, "Files"), files));

  const draw = (run) => {
    const rho = run.config?.rho;
    const all = grouped([...curves.columns.keys()].filter((n) => curves.has(n)));
    for (const g of all) {
      if (!charts.has(g.title)) {
        charts.set(g.title, lines(g.title, g.note, name));
      }
      const series = g.names.sort().map((n) => ({ label: label(n), steps: curves.step, ...curves.columns.get(n) }));
      if (g.names[0] === "divergence" && rho > 0) {
        series[0].label = "divergence";
        series.push({ label: "ρ", steps: curves.step, mean: curves.step.map(() => rho), dash: [6, 4] });
      }
      const chart = charts.get(g.title);
      if (!chart.figure.isConnected) drawn.append(chart.figure);
      chart.set(series);
    }
    // New curves may belong between those that are there.
    const order = all.map((g) => charts.get(g.title).figure);
    if (order.some((f, k) => drawn.children[k] !== f)) drawn.replaceChildren(...order);
    const about = [];
    if (curves.stride > 1) about.push(`Each point is the mean of ${whole(curves.stride)} records, the band their range.`);
    if (curves.skipped) about.push(`${curves.skipped} lines of metrics.jsonl are no records and were passed over.`);
    if (order.length === 0) about.push("No records yet.");
    else about.push("Drag to zoom, double-click to see all; a click on a name hides its curve.");
    note.textContent = about.join(" ");
  };

  let weightsAt = null;
  const update = async (names) => {
    if (names && !names.includes(name)) return;
    const [run] = await Promise.all([get(runURL(name)), curves.update()]);
    head.replaceChildren(heading(run));
    draw(run);
    samples.set([run]);
    const changed = run.files.find((f) => f.name === "weights.csv")?.changed;
    if (changed && changed !== weightsAt) {
      weightsAt = changed;
      const w = await get(`${runURL(name)}/weights`);
      weights.replaceChildren(bars.figure, h("p", { class: "dim" }, `${whole(w.n)} samples, counted on a logarithmic scale. ` + (w.outliers
        ? `Mean weight ${number(w.mean_in)}; of the ${whole(w.outliers)} outliers that were mixed in, ${number(w.mean_out)}.` : "Low weight means outlier; the mean is 1.")));
      bars.set(w);
    }
    const images = run.files.filter((f) => /\.(png|svg|jpg|gif)$/i.test(f.name) && f.name !== "weights.png");
    refill(pictures, images, () => images.map((f) => h("figure", {}, h("img", { src: `${fileURL(name, f.name)}?t=${Date.parse(f.changed)}`, alt: f.name, loading: "lazy" }), h("figcaption", {}, f.name))));
    still.hidden = !changed && images.length === 0;
    refill(config, run.config, () => h("table", { class: "pairs" }, h("tbody", {}, Object.entries(run.config).map(([k, v]) => h("tr", {}, h("th", { scope: "row" }, k), h("td", {}, value(v)))))));
    refill(files, run.files, () => run.files.map((f) => h("li", {}, h("a", { href: fileURL(name, f.name) }, f.name), h("span", { class: "dim" }, ` ${bytes(f.size)}`))));
  };
  await update(null);
  return {
    title: name, page: "runs", update,
    close() {
      samples.destroy();
      bars.destroy();
      for (const c of charts.values()) c.destroy();
    },
  };
}

function heading(run) {
  const last = run.last ?? {};
  const left = run.state === "training" && run.step > 0 && run.steps > run.step ? (last.seconds / run.step) * (run.steps - run.step) : null;
  const tile = (what, text) => (text === null || text === "–" ? null : h("div", { class: "tile" }, h("dt", {}, what), h("dd", {}, text)));
  return h("div", {},
    h("h1", {}, run.name, " ", badge(run.state)),
    run.data ? h("p", { class: "dim" }, [run.kind, run.data, run.config.outliers && `with ${run.config.outliers}`].filter(Boolean).join(" · ")) : null,
    run.steps ? h("progress", { class: "long", max: run.steps, value: run.step, "aria-label": "Part done" }) : null,
    h("dl", { class: "tiles" },
      tile("Step", run.steps ? `${whole(run.step)} of ${whole(run.steps)}` : whole(run.step)),
      tile("Time", duration(last.seconds)),
      tile("Time left", left === null ? null : duration(left)),
      tile("Critic loss", number(last.critic_loss)),
      tile("Divergence", number(last.divergence)),
      tile("Samples a second", last.images_per_second ? whole(Math.round(last.images_per_second)) : null),
      tile("Changed", ago(run.updated))));
}
