// When cards of a page are drawn, as a visitor sees it: asked at every frame, told with the frame after it.
window.browsing = (() => {
  const MARKS = ".cartesianlayer .mlayer path, .cartesianlayer .mlayer image";
  let begun, before, done, redrawn;

  const cards = () => [...document.querySelectorAll(".page .card-grid > .card")];
  const plotOf = (card) => card.querySelector(".js-plotly-plot");
  const said = (card) => (card.querySelector(".sentence") || {}).innerText;

  function visible(element) {
    const box = element.getBoundingClientRect();
    return box.width > 0 || box.height > 0;
  }

  // A chart is drawn when plotly has marks of a trace on the screen, a table when its body holds something.
  function drawn(card) {
    if (!card.classList.contains("chart-card")) return Boolean((card.querySelector(".card-body") || card).textContent.trim());
    const plot = plotOf(card);
    if (!plot || !plot.checkVisibility({ visibilityProperty: true }) || !(plot.data || []).length) return Boolean(said(card));
    return [...plot.querySelectorAll(MARKS)].some(visible);
  }

  // After a change of filters the old drawing does not count: other data, and plotly has finished plotting them.
  function changed(card) {
    const plot = plotOf(card);
    if (!plot || !plot.checkVisibility({ visibilityProperty: true })) return Boolean(said(card));
    return plot.data !== before.get(card) && redrawn.has(plot) && drawn(card);
  }

  function look() {
    for (const card of wanted().filter((each) => !done.has(each)))
      if (before.has(card) ? changed(card) : drawn(card)) {
        done.set(card, null);
        requestAnimationFrame((now) => done.set(card, now - begun));
      }
    if (!finished()) requestAnimationFrame(look);
  }

  // After a change of filters charts alone are waited for: a table that says the same as before cannot be told apart.
  const wanted = () => (before.size ? [...before.keys()] : cards());

  function finished() {
    return wanted().length > 0 && wanted().every((card) => typeof done.get(card) === "number");
  }

  // Watch a page that is being opened; times count from the start of its navigation.
  function open(from = 0) {
    [begun, before, done, redrawn] = [from, new Map(), new Map(), new Set()];
    requestAnimationFrame(look);
  }

  // Change a control as its user does, and watch the charts that this draws anew.
  function change(id, value) {
    open(performance.now());
    const redrawnHere = redrawn;
    for (const card of cards().filter((each) => each.classList.contains("chart-card"))) {
      const plot = plotOf(card);
      before.set(card, plot && plot.data);
      if (plot && plot.on) plot.on("plotly_afterplot", () => redrawnHere.add(plot));
    }
    window.dash_clientside.set_props(id, { value });
  }

  // Of each card: whether it is a chart, and when it was drawn, in ms.
  const times = () => [...done].map(([card, ms]) => [card.classList.contains("chart-card"), ms]);

  // The job finder's first row on the screen, null while there is none.
  const firstRow = () => {
    const row = document.querySelector('#finder-grid .ag-center-cols-container .ag-row[row-index="0"]:not(.ag-row-loading)');
    return row && row.textContent.trim() ? row.textContent : null;
  };

  // Have the grid sort or filter; what it finds is on the screen when the rows that it emptied are there again.
  function search(act) {
    const [start, old] = [performance.now(), firstRow()];
    let emptied = false;
    act(window.dash_ag_grid.getApi("finder-grid"));
    return new Promise((resolve) => {
      const check = () => {
        const row = firstRow();
        emptied ||= row !== old;
        requestAnimationFrame(row && emptied ? (now) => resolve(now - start) : check);
      };
      requestAnimationFrame(check);
    });
  }

  const sort = (column) => search((api) => api.applyColumnState({ state: [{ colId: column, sort: "desc" }], defaultState: { sort: null } }));
  const filter = (model) => search((api) => api.setFilterModel(model));

  // From the grid's request for its first rows until they are on the screen, in ms.
  function firstPage() {
    return new Promise((resolve) => {
      const check = () => requestAnimationFrame((now) => (firstRow() ? resolve(now - rowsAskedAt()) : check()));
      check();
    });
  }

  // The grid's request is the last one that the page makes before it has rows.
  function rowsAskedAt() {
    const asked = performance.getEntriesByType("resource").filter((each) => each.name.includes("_dash-update-component"));
    return Math.max(...asked.map((each) => each.startTime));
  }

  const payload = () =>
    performance.getEntriesByType("resource").filter((each) => each.name.includes("_dash-update-component"))
      .reduce((sum, each) => sum + each.decodedBodySize, 0);

  return { open, change, finished, times, sort, filter, firstPage, payload };
})();
window.browsing.open();
