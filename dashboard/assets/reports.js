// The list of pages that runs and other commands have left.
import { h, ago, bytes, pathURL, refill } from "./dom.js";
import { get } from "./data.js";

export async function reportsPage(main) {
  const list = h("div");
  main.replaceChildren(h("h1", {}, "Pages"), list);
  const update = async () => {
    const { reports } = await get("/api/reports");
    refill(list, reports, () => reports.length === 0
      ? h("div", { class: "note" }, h("p", {}, "There is no report.html, results.html or results.md in this folder. These leave one:"),
        h("pre", {}, "rot clean DATA --out runs/clean\nrot demo --out runs/demo\nrot reproduce fig1 --out runs"))
      : h("ul", { class: "reports" }, reports.map((r) => h("li", {}, h("a", { href: pathURL("reports", r.path) }, r.path), h("span", { class: "dim" }, ` ${bytes(r.size)}, ${ago(r.changed)}`)))));
  };
  await update();
  return { title: "Pages", page: "reports", update };
}
