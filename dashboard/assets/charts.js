// Line charts and histograms, drawn by uPlot.
import { h, number, whole } from "./dom.js";

const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
export const colour = (k) => style(`--line${(k % 8) + 1}`);

const height = 230;
const axis = () => ({ stroke: style("--dim"), grid: { stroke: style("--grid"), width: 1 }, ticks: { stroke: style("--grid"), width: 1 } });
const short = (v) => (v === null ? "" : Math.abs(v) >= 10000 ? `${number(v / 1000)}k` : number(v));

// told formats the legend: the value under the cursor, or else the last one.
const told = (format, none = "–") => (u, v, k, at) => {
  if (at === null || at === undefined) v = u.data?.[k]?.findLast((x) => x !== null && x !== undefined) ?? null;
  return v === null || v === undefined ? none : format(v);
};

// frame is what every chart stands in. plot(width) makes it; it is made anew
// only when the kind of data changes, and otherwise given new data.
function frame(title, note) {
  const at = h("div", { class: "plot" });
  const caption = h("figcaption", {}, title, note ? h("span", { class: "dim" }, ` ${note}`) : null);
  const figure = h("figure", { class: "chart" }, caption, at);
  let plot = null;
  const fit = () => {
    if (plot && at.clientWidth) plot.setSize({ width: at.clientWidth, height });
  };
  const watcher = new ResizeObserver(fit);
  watcher.observe(at);
  return {
    figure,
    draw(opts, data) {
      plot?.destroy();
      plot = new uPlot({ width: at.clientWidth || 400, height, ...opts }, data, at);
      // uPlot's legend hears the mouse only.
      for (const th of at.querySelectorAll(".u-legend .u-series:not(:first-child) th")) {
        th.tabIndex = 0;
        th.setAttribute("role", "button");
        th.setAttribute("aria-pressed", "true");
        th.addEventListener("click", () => th.setAttribute("aria-pressed", String(!th.parentElement.classList.contains("u-off"))));
        th.addEventListener("keydown", (e) => {
          if (e.key !== "Enter" && e.key !== " ") return;
          e.preventDefault();
          th.click();
        });
      }
    },
    set(data) {
      // A zoom that someone has made stays.
      const { min, max } = plot.scales.x;
      const old = plot.data[0];
      const zoomed = old.length > 0 && (min > old[0] || max < old[old.length - 1]);
      plot.setData(data, !zoomed);
      if (zoomed) plot.setScale("x", { min, max });
    },
    describe(text) {
      const picture = at.querySelector(".u-wrap"); // and not the legend
      picture.setAttribute("role", "img");
      picture.setAttribute("aria-label", text);
    },
    destroy() {
      watcher.disconnect();
      plot?.destroy();
    },
  };
}

// lines is a chart over steps. set([{label, steps, mean, low, high, dash}])
// gives it its series; low and high, where given, are drawn as a band.
export function lines(title, note, sync) {
  const f = frame(title, note);
  let shape = null;
  return {
    figure: f.figure,
    destroy: f.destroy,
    set(series) {
      const tables = [];
      const opts = [{ label: "Step", value: told(whole) }];
      const bands = [];
      series.forEach((s, k) => {
        const stroke = s.stroke ?? colour(k);
        const entry = { label: s.label, stroke, width: 1.6, dash: s.dash, spanGaps: true, points: { show: s.steps.length < 3 }, value: told((v) => number(v)) };
        const columns = [s.steps, s.mean];
        opts.push(entry);
        if (s.low?.length) {
          bands.push({ series: [opts.length + 1, opts.length], fill: `${stroke}2b` });
          for (const v of [s.low, s.high]) {
            columns.push(v);
            opts.push({ label: "", class: "envelope", stroke: "transparent", spanGaps: true, points: { show: false } });
          }
        }
        tables.push(columns);
      });
      const data = tables.length === 1 ? tables[0] : uPlot.join(tables);
      const now = JSON.stringify([opts.map((o) => [o.label, o.class, o.points]), bands]);
      if (now === shape) f.set(data);
      else {
        f.draw({
          series: opts, bands,
          scales: { x: { time: false } },
          padding: [6, 18, 0, 0],
          axes: [{ ...axis(), size: 34, values: (_, v) => v.map(short) }, { ...axis(), size: 58, values: (_, v) => v.map(short) }],
          cursor: { sync: { key: sync }, focus: { prox: 24 } },
          legend: { live: true },
        }, data);
        shape = now;
      }
      const last = series.map((s) => `${s.label} ${number(s.mean.at(-1))}`).join(", ");
      f.describe(`${title}: at step ${series[0].steps.at(-1)} ${last}`);
    },
  };
}

// histogram shows the weights of samples, known outliers on top of the others.
export function histogram(title) {
  const f = frame(title);
  return {
    figure: f.figure,
    destroy: f.destroy,
    set(w) {
      const width = w.max / w.in.length;
      const mid = w.in.map((_, k) => (k + 0.5) * width);
      const all = w.in.map((n, k) => n + (w.out?.[k] ?? 0));
      // Counts span decades; empty bins have no logarithm.
      const some = (v) => v.map((n) => (n > 0 ? n : null));
      const bars = uPlot.paths.bars({ size: [0.9, 60] });
      const bar = (label, stroke) => ({ label, stroke, fill: stroke, width: 0, paths: bars, points: { show: false }, value: (_, v) => (v === null ? "" : whole(v)) });
      const series = [{ label: "Weight", value: (_, v) => (v === null ? "" : number(v, 3)) }, bar(w.out ? "All samples" : "Samples", colour(0))];
      const data = [mid, some(all)];
      if (w.out) {
        series.push(bar("Outliers", colour(1)));
        data.push(some(w.out));
      }
      const top = 10 ** Math.ceil(Math.log10(Math.max(10, ...all)) + 0.05);
      f.draw({
        series,
        scales: { x: { time: false, range: [0, w.max] }, y: { distr: 3, range: [0.5, top] } },
        padding: [6, 18, 0, 0],
        axes: [{ ...axis(), size: 34 }, { ...axis(), size: 58, values: (_, v) => v.map((n) => (Number.isInteger(Math.log10(n)) && n >= 1 ? short(n) : "")) }],
        legend: { live: true },
      }, data);
      f.describe(`${title}: ${w.n} samples, mean weight ${number(w.mean_in)}` + (w.outliers ? `, of ${w.outliers} outliers ${number(w.mean_out)}` : ""));
    },
  };
}
