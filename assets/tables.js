// Draws the tables of components/drawn_table.py: texts, links, dots and bars, never markup.
(function () {
  const tables = document.getElementsByClassName("drawn-table");

  function element(name, className, text) {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function bar(share, color) {
    const fill = element("div", "bar-fill");
    fill.style.width = 100 * Math.min(Math.max(share, 0), 1) + "%";
    fill.style.background = color;
    const track = element("div", "bar");
    track.appendChild(fill);
    return track;
  }

  const LONG = 24; // letters that a narrow column may cut: the whole text shows when it is pointed at

  function fill(place, cell) {
    const text = typeof cell === "string" ? cell : (cell.text || "") + (cell.after || "");
    if (text.length > LONG) place.title = text;
    if (typeof cell === "string") {
      place.textContent = cell;
      return;
    }
    if (cell.share !== undefined) {
      place.appendChild(bar(cell.share, cell.dot));
      return;
    }
    if (cell.dot) place.appendChild(element("span", "dot")).style.background = cell.dot;
    if (cell.href) place.appendChild(element("a", "vc-link", cell.text)).href = cell.href;
    else place.append(cell.text || "");
    if (cell.after) place.appendChild(element("span", "muted", cell.after));
  }

  function draw(place) {
    const { head, classes, rows } = JSON.parse(place.dataset.table);
    const table = element("table");
    const top = table.createTHead().insertRow();
    head.forEach((title, column) => {
      const heading = element("th", classes[column], title);
      heading.scope = "col";
      top.appendChild(heading);
    });
    const body = table.createTBody();
    for (const cells of rows) {
      const row = body.insertRow();
      cells.forEach((cell, column) => {
        const place = row.insertCell();
        place.className = classes[column];
        fill(place, cell);
      });
    }
    place.replaceChildren(table);
    place.drawn = place.dataset.table;
  }

  // React knows these places as empty; it changes their attribute and takes them away, never what is inside.
  new MutationObserver(() => {
    for (const place of tables) if (place.drawn !== place.dataset.table) draw(place);
  }).observe(document.documentElement, { subtree: true, childList: true, attributeFilter: ["data-table"] });
})();
