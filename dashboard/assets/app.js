// Which page is shown, and what keeps it up to date.
import { h } from "./dom.js";
import { watch } from "./data.js";
import { listPage } from "./list.js";
import { runPage } from "./run.js";
import { comparePage } from "./compare.js";
import { reportsPage } from "./reports.js";

const pages = { "": listPage, run: runPage, compare: comparePage, reports: reportsPage };
const main = document.getElementById("main");
const live = document.getElementById("live");
let current = null; // the page that is shown
let asked = 0; // of pages, so that a slow one does not cover a later one

async function show() {
  const mine = ++asked;
  current?.close?.();
  current = null;
  const [first, ...rest] = location.hash.replace(/^#\/?/, "").split("/");
  const at = h("div", { class: "page" });
  main.replaceChildren(at);
  try {
    const open = pages[first];
    if (!open) throw new Error("There is no such page.");
    const page = await open(at, rest.filter((p) => p !== "").map(decodeURIComponent));
    if (mine !== asked) {
      page.close?.();
      return;
    }
    current = page;
  } catch (err) {
    if (mine !== asked) return;
    at.replaceChildren(h("h1", {}, "That did not work"), h("p", { class: "note" }, err.message), h("p", {}, h("a", { href: "#/" }, "All runs")));
  }
  document.title = `${current?.title ?? "Not found"} · rot`;
  for (const a of document.querySelectorAll("nav a")) {
    if (a.dataset.page === current?.page) a.setAttribute("aria-current", "page");
    else a.removeAttribute("aria-current");
  }
}

// Changes that come while a page is being updated are taken together.
let waiting = null; // null: nothing; "all"; or a set of names
let busy = false;
async function update(names) {
  waiting = names === null || waiting === "all" ? "all" : new Set([...(waiting ?? []), ...names]);
  if (busy) return;
  busy = true;
  while (waiting !== null) {
    const now = waiting === "all" ? null : [...waiting];
    waiting = null;
    try {
      await current?.update(now);
    } catch (err) {
      live.textContent = "cannot update";
      live.title = err.message;
    }
  }
  busy = false;
}

function status(text) {
  live.textContent = text;
  live.className = text;
  live.title = "";
}

const themes = ["auto", "light", "dark"];
const theme = document.getElementById("theme");
function paint(name) {
  setTheme(name);
  theme.textContent = `Theme: ${name}`;
}
theme.addEventListener("click", () => {
  paint(themes[(themes.indexOf(document.documentElement.dataset.theme) + 1) % themes.length]);
  show(); // charts have their colours from it
});
paint(document.documentElement.dataset.theme);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);

document.addEventListener("keydown", (e) => {
  if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey || /^(input|textarea|select)$/i.test(e.target.tagName)) return;
  const filter = document.getElementById("filter");
  if (!filter) return;
  e.preventDefault();
  filter.focus();
});
document.querySelector(".skip").addEventListener("click", (e) => {
  e.preventDefault(); // the hash says which page
  main.focus();
});

addEventListener("hashchange", async () => {
  await show();
  main.focus({ preventScroll: true });
  scrollTo(0, 0);
});
await show();
watch(update, status);
setInterval(() => { if (!document.hidden) update(null); }, 20000); // a run that stops changes no file
