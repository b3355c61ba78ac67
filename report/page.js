// Tables scroll in their own box and are sorted by a click on a head: numbers by
// their value, "12.3 ± 0.4" by 12.3, the rest by the alphabet.
"use strict";
for (const table of document.querySelectorAll("table")) {
  const box = document.createElement("div");
  box.className = "scroll";
  box.tabIndex = 0;
  table.replaceWith(box);
  box.append(table);
  const body = table.tBodies[0];
  if (!body) continue;
  for (const cell of body.querySelectorAll("td")) {
    const text = cell.textContent.trim();
    if (text !== "" && !/[0-9–−-]/.test(text.charAt(0))) cell.classList.add("words");
    if (text.length > 40) cell.classList.add("long", "words");
  }
  table.querySelectorAll("thead th").forEach((head, column) => {
    if ([...body.rows].some((row) => row.cells[column]?.classList.contains("words"))) head.classList.add("words");
    if (body.rows.length < 3) return;
    const button = document.createElement("button");
    button.append(...head.childNodes);
    if (button.textContent.trim() === "") button.textContent = "·";
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") !== "descending";
      for (const other of table.querySelectorAll("th")) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const value = (row) => (row.cells[column] ? row.cells[column].textContent.trim() : "");
      const rows = [...body.rows].sort((a, b) => {
        const x = parseFloat(value(a).replace("−", "-")), y = parseFloat(value(b).replace("−", "-"));
        const order = isNaN(x) || isNaN(y) ? value(a).localeCompare(value(b)) : x - y;
        return down ? -order : order;
      });
      body.append(...rows);
    });
  });
}
