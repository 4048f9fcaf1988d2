// The address of the forms of sweeps and plans: each control says the key under which it goes there.
(function () {
  const text = (value) => (typeof value === "number" ? String(Number(value.toPrecision(12))) : String(value));
  const same = (one, other) => text([].concat(one).slice().sort()) === text([].concat(other).slice().sort());

  // The filters' part of a form's address. Without days a form would show the last month (form_scope in
  // pages/replay_scenario.py), so that every day has a word of its own where that is not the same.
  function withDays(filters, defaults) {
    const query = window.heliograph.queryString(filters || {});
    if (!defaults.days || /[?&](from|to)=/.test(query)) return query;
    return (query ? query + "&" : "?") + "days=" + defaults.days;
  }
  window.heliograph.withDays = withDays;

  // The same pairs as SweepChoice.pairs and PlanChoice.pairs in components/; empty fields are left out.
  function keepForm(filters, values, switches, run, defaults, ids, switchIds) {
    const pairs = [];
    const given = Object.fromEntries(ids.map((id, place) => [id.name, values[place]]));
    Object.entries(defaults.usual).forEach(([name, usual]) => {
      const value = given[name];
      if (value === null || value === undefined || value === "" || same(value, usual)) return;
      if (!Array.isArray(value)) pairs.push([name, text(value)]);
      else defaults.order.filter((each) => value.includes(each)).forEach((each) => pairs.push([name, each]));
    });
    switchIds.forEach((id, place) => switches[place] && pairs.push([id.name, "1"]));
    if (run) pairs.push(["run", run]);
    const readable = (value) => encodeURIComponent(value).replace(/%3A/g, ":").replace(/%2C/g, ",");
    const query = withDays(filters, defaults);
    const own = pairs.map(([key, value]) => key + "=" + readable(value)).join("&");
    const whole = own ? (query ? query + "&" : "?") + own : query;
    window.history.replaceState(window.history.state, "", window.location.pathname + whole + window.location.hash);
    const none = Object.keys(given).filter((name) => Array.isArray(given[name]) && !given[name].length);
    return none.length ? whole + (whole ? "&" : "?") + none.map((name) => name + "=").join("&") : whole;
  }

  const linkTabs = (filters, ids) => ids.map((id) => id.path + window.heliograph.linkQuery(filters || {}));

  window.dash_clientside = Object.assign({}, window.dash_clientside, { whatIfForms: { keepForm, linkTabs } });
})();
