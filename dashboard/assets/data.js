// What the server knows, and word of what changes.

export async function get(url) {
  const r = await fetch(url);
  const body = await r.json().catch(() => ({ error: `${r.status} ${r.statusText}` }));
  if (!r.ok) throw new Error(body.error);
  return body;
}

export const runURL = (name) => `/api/runs/${encodeURIComponent(name)}`;

// Curves hold the metrics of a run and fetch only what is new.
export class Curves {
  constructor(name) {
    this.name = name;
    this.clear();
  }

  clear() {
    this.version = "";
    this.stride = 1;
    this.step = [];
    this.columns = new Map(); // name → {mean, low, high}
  }

  async update() {
    // The last point may have changed: it is asked for again.
    const from = Math.max(0, this.step.length - 1);
    const r = await get(`${runURL(this.name)}/metrics?from=${from}&version=${this.version}`);
    if (r.version !== this.version || r.from > this.step.length) this.clear();
    this.version = r.version;
    this.stride = r.stride;
    this.skipped = r.skipped;
    this.step.splice(r.from, Infinity, ...r.step);
    for (const c of r.curves) {
      if (!this.columns.has(c.name)) this.columns.set(c.name, { mean: [], low: [], high: [] });
      const mine = this.columns.get(c.name);
      for (const k of ["mean", "low", "high"]) {
        while (c[k] && mine[k].length < r.from) mine[k].push(null);
        mine[k].splice(r.from, Infinity, ...(c[k] ?? []));
      }
    }
  }

  // has says whether there is anything to see in a column.
  has(name) {
    return this.columns.get(name)?.mean.some((v) => v !== null && v !== 0) ?? false;
  }
}

// watch calls change(names) when folders change, with null for all of them
// after a new connection, and status(text) as the connection comes and goes.
// A page that nobody sees is not connected: browsers have few connections.
export function watch(change, status) {
  let source = null;
  const connect = () => {
    if (source || document.hidden) return;
    source = new EventSource("/api/events");
    source.addEventListener("hello", () => { status("live"); change(null); });
    source.addEventListener("change", (e) => change(JSON.parse(e.data).runs));
    source.addEventListener("error", () => {
      status("offline");
      if (source?.readyState !== EventSource.CLOSED) return; // it tries again by itself
      source = null;
      setTimeout(connect, 5000);
    });
  };
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      source?.close();
      source = null;
      status("paused");
    } else connect();
  });
  connect();
}
