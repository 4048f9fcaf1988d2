// The Compare page in the browser: what is compared with what, in one store and in the address.
(function () {
  const keep = () => window.dash_clientside.no_update;

  // The keys of components/filters.py behind a prefix; "references=0" switches the published curves off.
  function otherQuery(other, references) {
    const pairs = window.heliograph.queryString(other).replace(/^\?/, "").split("&").filter(Boolean).map((pair) => "b." + pair);
    return pairs.concat(references ? [] : ["references=0"]).join("&");
  }

  function withOther(other, references) {
    const own = (pair) => pair.startsWith("b.") || pair.startsWith("references=");
    const rest = window.location.search.replace(/^\?/, "").split("&").filter((pair) => pair && !own(pair));
    return "?" + rest.concat(otherQuery(other, references)).join("&");
  }

  function keepComparison(one, clusters, vcs, dates, references, minDate, maxDate, current) {
    const [first, last] = dates || [];
    if (!current || !one || Boolean(first) !== Boolean(last)) return keep(); // the first of two days is picked
    const other = {
      trace: current.other.trace,
      clusters: [...(clusters || [])].sort(),
      vcs: [...(vcs || [])].sort(),
      first_day: first && first !== minDate ? first : null,
      last_day: last && last !== maxDate ? last : null,
    };
    const search = withOther(other, references);
    if (search !== window.location.search)
      window.history.replaceState(window.history.state, "", window.location.pathname + search + window.location.hash);
    const next = { one, other, references };
    return JSON.stringify(next) === JSON.stringify(current) ? keep() : next;
  }

  function openOther(trace, current) {
    if (trace && current && trace !== current.other.trace) window.heliograph.open(withOther({ trace }, current.references));
    return keep();
  }

  window.dash_clientside = Object.assign({}, window.dash_clientside, { comparison: { keepComparison, openOther } });
})();
