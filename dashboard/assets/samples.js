// Pictures of samples with a slider over the steps of training.
import { h, whole, fileURL } from "./dom.js";

// slider shows the pictures of several runs at the same step. set takes
// [{name, samples}]; a run shows its last picture up to that step. Whoever
// stands at the end stays there as pictures come.
export function slider() {
  let runs = [];
  let steps = [];
  let playing = null;
  const range = h("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "Step of the samples", oninput: () => show() });
  const back = h("button", { type: "button", "aria-label": "Earlier samples", onclick: () => move(-1) }, "◀");
  const on = h("button", { type: "button", "aria-label": "Later samples", onclick: () => move(1) }, "▶");
  const play = h("button", { type: "button", onclick: () => toggle() }, "Play");
  const output = h("output", {}, "");
  const pictures = h("div", { class: "pictures" });
  const root = h("section", { class: "samples", "aria-label": "Samples" },
    h("h2", {}, "Samples"), h("div", { class: "controls" }, back, range, on, play, output), pictures);

  const move = (by) => {
    range.value = Number(range.value) + by;
    show();
  };
  const toggle = () => {
    if (playing) {
      clearInterval(playing);
      playing = null;
    } else {
      if (Number(range.value) === steps.length - 1) range.value = 0;
      show();
      playing = setInterval(() => {
        move(1);
        if (Number(range.value) === steps.length - 1) toggle();
      }, 400);
    }
    play.textContent = playing ? "Stop" : "Play";
  };
  const at = (samples, step) => samples.findLast((s) => s.step <= step) ?? samples[0];
  const url = (run, s) => `${fileURL(run.name, `samples/${s.name}`)}?t=${Date.parse(s.changed)}`;
  const show = () => {
    const k = Number(range.value);
    const step = steps[k];
    output.textContent = `step ${whole(step)} · ${k + 1} of ${steps.length}`;
    range.setAttribute("aria-valuetext", `step ${step}`);
    runs.forEach((run, i) => {
      const s = at(run.samples, step);
      const [img, caption] = pictures.children[i].children;
      const src = url(run, s);
      if (img.getAttribute("src") !== src) img.src = src;
      img.alt = `Samples of ${run.name} at step ${s.step}`;
      caption.textContent = runs.length > 1 ? `${run.name}, step ${whole(s.step)}` : "";
      const next = at(run.samples, steps[k + 1] ?? step);
      if (next !== s) new Image().src = url(run, next);
    });
  };
  return {
    root,
    set(all) {
      const end = Number(range.value) >= steps.length - 1;
      const step = steps[Number(range.value)];
      runs = all.filter((r) => r.samples.length > 0);
      root.hidden = runs.length === 0;
      if (root.hidden) return;
      steps = [...new Set(runs.flatMap((r) => r.samples.map((s) => s.step)))].sort((a, b) => a - b);
      range.max = steps.length - 1;
      range.value = end ? steps.length - 1 : Math.max(0, steps.findLastIndex((s) => s <= step));
      const only = steps.length < 2;
      for (const e of [range, back, on, play]) e.disabled = only;
      if (pictures.children.length !== runs.length) {
        pictures.replaceChildren(...runs.map(() => h("figure", {}, h("img", {}), h("figcaption"))));
      }
      show();
    },
    destroy() {
      clearInterval(playing);
    },
  };
}
