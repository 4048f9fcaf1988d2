// The job finder in the browser, and other grids that ask for their rows: ask again for another scope,
// keep the search in the address, choose columns.
(function () {
  const OWN_KEYS = ["user", "job_id", "job_name", "state", "gpu_type", "gpu_num", "cpu_num", "node_num", "duration_s",
    "queueing_delay_s", "submit_hour", "submit_weekday", "sort"];

  function searchAgain(_filters, id) {
    const api = window.dash_ag_grid.getApi(id);
    if (api) {
      api.ensureIndexVisible(0);
      api.purgeInfiniteCache();
    }
    return window.dash_clientside.no_update;
  }

  // An answer may come after the finder was left, by Back for one.
  function keepSearch(search) {
    if (!/\/jobs\/find\/?$/.test(window.location.pathname)) return window.dash_clientside.no_update;
    const others = window.location.search.replace(/^\?/, "").split("&")
      .filter((pair) => pair && !OWN_KEYS.includes(window.heliograph.keyOf(pair)));
    const query = others.concat(search ? [search] : []).join("&");
    const address = query ? "?" + query : "";
    if (address !== window.location.search)
      window.history.replaceState(window.history.state, "", window.location.pathname + address + window.location.hash);
    return window.dash_clientside.no_update;
  }

  function chooseColumns(shown, columns) {
    const api = window.dash_ag_grid.getApi("finder-grid");
    if (api)
      columns.forEach((column) => api.setColumnsVisible([column.field], shown.includes(column.field)));
    return window.dash_clientside.no_update;
  }

  window.dash_clientside = Object.assign({}, window.dash_clientside, { finder: { searchAgain, keepSearch, chooseColumns } });
})();
