// Charts: uPlot draws the data that stand beside each picture, and a reader who
// points at them, or steps through them by the arrow keys, is told more.
for (const figure of document.querySelectorAll("figure.chart")) {
  const chart = JSON.parse(figure.querySelector("script").textContent);
  const { kind } = chart;
  const colour = (name) => getComputedStyle(figure).getPropertyValue(`--${name}`).trim();
  const number = (v) => (v === null ? "–" : String(Number(v.toPrecision(4))).replace("-", "−"));
  const triangle = (look) => look.endsWith("flagged");

  // All points in one row by rising x, as uPlot wants them; order is that in
  // which they came.
  const order = chart.series.flatMap((s, k) => s.x.map((x, i) => ({ series: k, i, x, y: s.y[i] })));
  let data, points;
  if (kind === "bars") {
    const sums = chart.series.map((s) => s.y.slice());
    for (let k = 1; k < sums.length; k++) sums[k].forEach((_, i) => { sums[k][i] += sums[k - 1][i]; });
    data = [chart.series[0].x, ...sums.reverse()]; // the tallest behind the others
    points = order.filter((p) => p.series === 0);
  } else {
    points = order.slice().sort((a, b) => a.x - b.x);
    data = [points.map((p) => p.x), ...chart.series.map((_, k) => points.map((p) => (p.series === k ? p.y : null)))];
  }
  const drawn = kind === "bars" ? chart.series.slice().reverse() : chart.series;

  const plot = document.createElement("div");
  plot.className = "plot";
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.setAttribute("role", "status");
  figure.append(plot);

  let u = null, at = null; // the chart and the point that is told about
  const place = (p) => [u.valToPos(p.x, "x"), u.valToPos(kind === "bars" ? drawnTop(p.i) : p.y, "y")];
  const drawnTop = (i) => data[1][i];
  const shown = (p) => kind === "bars" || u.series[p.series + 1].show;

  // tell shows what is known about a point; nothing is shown for null.
  const tell = (p) => {
    at = p;
    tip.hidden = ring.hidden = p === null;
    if (p === null) return;
    const s = chart.series[p.series];
    const lines = [];
    if (kind === "bars") for (const t of chart.series) lines.push([t.name, number(t.y[p.i])]);
    else if (kind === "lines") lines.push([chart.x, number(p.x)], [s.name, number(p.y)]);
    else lines.push([s.name, ""]);
    for (const f of s.facts ?? []) lines.push([f.name, typeof f.values[p.i] === "string" ? f.values[p.i] : number(f.values[p.i])]);
    const name = document.createElement("b");
    name.textContent = s.ids?.[p.i] || (kind === "scatter" ? `${number(p.x)}, ${number(p.y)}` : "");
    tip.replaceChildren(...(name.textContent ? [name] : []), ...lines.map(([k, v]) => {
      const line = document.createElement("div");
      line.textContent = v === "" ? k : `${k}: ${v}`;
      return line;
    }));
    const [x, y] = place(p);
    ring.style.transform = `translate(${x}px, ${y}px)`;
    const right = x > u.over.clientWidth / 2, low = y > u.over.clientHeight / 2;
    tip.style.left = right ? "" : `${x + 12}px`;
    tip.style.right = right ? `${u.over.clientWidth - x + 12}px` : "";
    tip.style.top = low ? "" : `${y + 8}px`;
    tip.style.bottom = low ? `${u.over.clientHeight - y + 8}px` : "";
  };
  const ring = document.createElement("div");
  ring.className = "ring";

  // nearest is the point closest to a place: on curves and bars by x alone.
  const nearest = (left, top) => {
    let best = null, least = kind === "scatter" ? 40 * 40 : Infinity;
    for (const p of points) {
      if (!shown(p)) continue;
      const [x, y] = place(p);
      if (x < 0 || y < -1 || x > u.over.clientWidth || y > u.over.clientHeight + 1) continue;
      const d = (x - left) ** 2 + (kind === "scatter" ? (y - top) ** 2 : 1e-3 * (y - top) ** 2);
      if (d < least) [best, least] = [p, d];
    }
    return best;
  };

  const dots = (look, size, solid) => (v, k, from, to) => {
    const { ctx, bbox } = v;
    const r = size * devicePixelRatio;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left - r, bbox.top - r, bbox.width + 2 * r, bbox.height + 2 * r);
    ctx.clip();
    ctx.beginPath();
    for (let i = from; i <= to; i++) {
      if (v.data[k][i] === null) continue;
      const x = v.valToPos(v.data[0][i], "x", true), y = v.valToPos(v.data[k][i], "y", true);
      if (triangle(look)) {
        ctx.moveTo(x, y - 1.3 * r);
        ctx.lineTo(x + 1.15 * r, y + 0.8 * r);
        ctx.lineTo(x - 1.15 * r, y + 0.8 * r);
        ctx.closePath();
      } else {
        ctx.moveTo(x + r, y);
        ctx.arc(x, y, r, 0, 2 * Math.PI);
      }
    }
    ctx.globalAlpha = solid;
    ctx.fillStyle = colour(look);
    ctx.fill();
    ctx.restore();
    return null;
  };

  const series = (s) => {
    const one = { label: s.name, stroke: colour(s.look), points: { show: false } };
    if (kind === "bars") return { ...one, fill: colour(s.look), width: 0, paths: uPlot.paths.bars({ size: [1, Infinity], gap: 1 }) };
    if (kind === "lines") {
      const few = s.x.length <= 60;
      return { ...one, width: 2, spanGaps: true, dash: s.look === "other" ? [6, 4] : undefined, points: { show: few, size: 6, fill: colour(s.look) } };
    }
    const many = s.x.length > 400;
    return { ...one, fill: colour(s.look), paths: dots(s.look, triangle(s.look) ? 4.5 : many ? 2.5 : 3.5, triangle(s.look) ? 0.9 : many ? 0.55 : 0.75) };
  };

  // room widens a range a little, so that points on its edge are seen whole.
  const room = (part) => (_, min, max) => {
    if (min === null) return [0, 1];
    const length = max - min || Math.abs(max) || 1;
    return [min - part * length, max + part * length];
  };
  const fromZero = (v, min, max) => {
    const [low, high] = room(0.06)(v, min, max);
    return [min >= 0 && min < 0.6 * max ? 0 : low, high];
  };

  const marks = (v) => {
    const { ctx, bbox } = v;
    ctx.save();
    ctx.strokeStyle = colour("ink");
    ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
    ctx.textAlign = "left";
    ctx.textBaseline = "alphabetic";
    ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
    const inside = (chart.marks ?? []).map((m) => ({ ...m, at: v.valToPos(m.x, "x", true) })).filter((m) => m.at >= bbox.left && m.at <= bbox.left + bbox.width);
    for (const m of inside) {
      ctx.beginPath();
      ctx.moveTo(m.at, bbox.top);
      ctx.lineTo(m.at, bbox.top + bbox.height);
      ctx.stroke();
    }
    inside.forEach((m, k) => { // on paper, as the lines of others may cross them
      const gap = 5 * devicePixelRatio, width = ctx.measureText(m.name).width;
      const x = m.at + 2 * gap + width > bbox.left + bbox.width ? m.at - gap - width : m.at + gap;
      const y = bbox.top + (14 + 18 * k) * devicePixelRatio;
      ctx.fillStyle = colour("paper");
      ctx.fillRect(x - gap / 2, y - 12 * devicePixelRatio, width + gap, 16 * devicePixelRatio);
      ctx.fillStyle = colour("ink");
      ctx.fillText(m.name, x, y);
    });
    ctx.restore();
  };

  const height = () => (kind === "scatter" ? Math.round(Math.min(460, Math.max(280, 0.85 * plot.clientWidth))) : 250);
  const draw = () => {
    u?.destroy();
    const axis = { stroke: colour("muted"), grid: { stroke: colour("rule"), width: 1 }, ticks: { stroke: colour("rule"), width: 1 }, labelSize: 22, labelFont: "12px system-ui, sans-serif" };
    const ticks = (_, values) => values.map((v) => (v === null ? "" : Math.abs(v) >= 1e5 || (v !== 0 && Math.abs(v) < 1e-4) ? v.toExponential(0) : number(v)));
    u = new uPlot({
      width: plot.clientWidth, height: height(), padding: [8, 12, 0, 0],
      series: [{ label: chart.x }, ...drawn.map(series)],
      scales: {
        x: { time: false, range: kind === "bars" ? (_, min, max) => { const w = data[0].length > 1 ? data[0][1] - data[0][0] : 1; return [min - w / 2, max + w / 2]; } : room(kind === "scatter" ? 0.04 : 0.02) },
        y: { range: kind === "bars" ? (_, min, max) => [0, 1.05 * (max || 1)] : kind === "lines" ? fromZero : room(0.05) },
      },
      axes: [{ ...axis, label: chart.x, size: 36, values: ticks }, { ...axis, label: chart.y, size: 54, values: ticks }],
      cursor: { points: { show: false }, x: kind !== "scatter", y: false, drag: { x: true, y: kind === "scatter", uni: 20 } },
      legend: { show: chart.series.length > 1, live: false },
      hooks: { draw: [marks], setCursor: [(v) => tell(v.cursor.left < 0 ? null : nearest(v.cursor.left, v.cursor.top))], setScale: [() => { if (u) tell(null); }] },
    }, data, plot);
    u.over.append(ring, tip);
    u.over.tabIndex = 0;
    u.over.setAttribute("role", "img");
    u.over.setAttribute("aria-label", `${figure.querySelector("img").alt}. Arrow keys step through the points.`);
    u.over.addEventListener("keydown", (e) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key];
      if (e.key === "Escape") tell(null);
      if (!step) return;
      e.preventDefault();
      const row = (kind === "bars" ? points : order).filter(shown);
      tell(row[(row.indexOf(at) + step + row.length) % row.length] ?? null);
    });
    u.over.addEventListener("blur", () => tell(null));
    tell(null);
  };
  figure.classList.add("live");
  draw();
  new ResizeObserver(() => {
    if (plot.clientWidth && plot.clientWidth !== u.width) u.setSize({ width: plot.clientWidth, height: height() });
  }).observe(plot);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
}
