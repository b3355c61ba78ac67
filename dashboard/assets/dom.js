// Elements and texts. Whatever comes from a file becomes a text node, never markup.

export function h(tag, props = {}, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(props)) {
    if (v === undefined || v === null || v === false) continue;
    if (k.startsWith("on")) e.addEventListener(k.slice(2), v);
    else if (k === "class") e.className = v;
    else e.setAttribute(k, v === true ? "" : v);
  }
  e.append(...children.flat().filter((c) => c !== null && c !== undefined && c !== false));
  return e;
}

// refill gives e new children, but only when what they show has changed: a
// page that is read, or moved about in by keyboard, should hold still.
const shown = new WeakMap();
export function refill(e, what, make) {
  const text = JSON.stringify(what);
  if (shown.get(e) === text) return;
  shown.set(e, text);
  e.replaceChildren(...[make()].flat());
}

export function number(v, digits = 4) {
  if (v === null || v === undefined || Number.isNaN(v)) return "–";
  if (typeof v !== "number") return String(v);
  if (v !== 0 && (Math.abs(v) < 1e-3 || Math.abs(v) >= 1e6)) return v.toExponential(Math.min(2, digits - 1)).replace("e+", "e");
  return String(Number(v.toPrecision(digits)));
}

export function whole(n) {
  return n < 10000 ? String(n) : String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

export function duration(s) {
  if (!Number.isFinite(s)) return "–";
  if (s < 90) return `${Math.round(s)} s`;
  const m = Math.round(s / 60);
  return m < 90 ? `${m} min` : `${Math.floor(m / 60)} h ${m % 60} min`;
}

export function ago(time) {
  const s = (Date.now() - Date.parse(time)) / 1000;
  if (s < 5) return "now";
  return s < 36 * 3600 ? `${duration(s)} ago` : time.slice(0, 10);
}

export function bytes(n) {
  const units = ["B", "kB", "MB", "GB"];
  let k = 0;
  for (; n >= 1000 && k < units.length - 1; k++) n /= 1000;
  return `${Number(n.toPrecision(3))} ${units[k]}`;
}

export function badge(state) {
  return h("span", { class: `badge ${state}` }, state);
}

// value shows a value of a configuration.
export function value(v) {
  if (v === null || v === undefined) return h("span", { class: "dim" }, "–");
  const text = typeof v === "object" ? JSON.stringify(v) : String(v);
  return text.length > 80 ? h("span", { title: text.slice(0, 2000) }, `${text.slice(0, 80)}…`) : text;
}

const labels = {
  divergence: "Divergence of the weights", ess: "Effective sample size", images_per_second: "Samples a second",
  source_accuracy: "Accuracy on the source batch", distance: "Critic distance", seconds: "Seconds",
};

export function label(name) {
  return labels[name] ?? (name.charAt(0).toUpperCase() + name.slice(1)).replaceAll("_", " ");
}

const part = (s) => encodeURIComponent(s);
export const pathURL = (what, p) => `/${what}/${p.split("/").map(part).join("/")}`;
export const fileURL = (run, p) => `/runs/${part(run)}/files/${p.split("/").map(part).join("/")}`;
export const runLink = (name) => `#/run/${part(name)}`;
export const compareLink = (names) => `#/compare/${names.map(part).join("/")}`;
