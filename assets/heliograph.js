// The callbacks that run in the browser. Each is named by ClientsideFunction("heliograph", …) in components/.
(function () {
  const keep = () => window.dash_clientside.no_update;

  function dayAfter(day) {
    return new Date(Date.parse(day + "T00:00:00Z") + 86400000).toISOString().slice(0, 10);
  }

  // The same string as Filters.query_string in components/filters.py.
  function queryString(filters) {
    const pairs = [];
    if (filters.trace) pairs.push(["trace", filters.trace]);
    [...(filters.clusters || [])].sort().forEach((cluster) => pairs.push(["cluster", cluster]));
    [...(filters.vcs || [])].sort().forEach((vc) => pairs.push(["vc", vc]));
    if (filters.first_day) pairs.push(["from", filters.first_day]);
    if (filters.last_day) pairs.push(["to", dayAfter(filters.last_day)]);
    return pairs.length ? "?" + pairs.map(([key, value]) => key + "=" + encodeURIComponent(value)).join("&") : "";
  }

  // What links to other pages carry: the filters, but for clusters that the page assumed and nobody chose.
  const linkQuery = (filters) => queryString(filters.assumed ? { ...filters, clusters: [] } : filters);

  // Keys of the address that are not filters (live=1, a page's own) stay behind them.
  // version only makes the page lay itself out anew.
  const FILTER_KEYS = ["trace", "cluster", "vc", "from", "to", "version"];
  const keyOf = (pair) => {
    try {
      return decodeURIComponent(pair.split("=")[0]);
    } catch (error) {
      return pair; // a stray % is nobody's key
    }
  };
  function withOtherKeys(query, search) {
    const others = (search || "").replace(/^\?/, "").split("&").filter((pair) => pair && !FILTER_KEYS.includes(keyOf(pair)));
    if (!others.length) return query;
    return (query ? query + "&" : "?") + others.join("&");
  }

  function writeAddress(query) {
    const search = withOtherKeys(query, window.location.search);
    if (search !== window.location.search)
      window.history.replaceState(window.history.state, "", window.location.pathname + search + window.location.hash);
  }

  // A copied link is complete: the address names the trace even where nobody chose it.
  function nameTheChoice(filters) {
    if (filters && filters.trace) writeAddress(queryString(filters));
    if (filters) writeLinks(linkQuery(filters)); // Dash does not tell linkPages of filters that are laid out anew
    return keep();
  }

  // The filters and a page's own switch as one value; the switch is in the address behind the filters.
  function choosePublished(filters, checked) {
    const others = new URLSearchParams(withOtherKeys("", window.location.search));
    if (checked) others.set("published", "1");
    else others.delete("published");
    const rest = others.toString();
    const query = queryString(filters);
    const search = rest ? (query ? query + "&" : "?") + rest : query;
    if (search !== window.location.search)
      window.history.replaceState(window.history.state, "", window.location.pathname + search + window.location.hash);
    return { ...filters, published: Boolean(checked) };
  }

  // The filters and the user whom the page is about, as one value.
  function nameTheUser(filters, user) {
    return filters && user ? { ...filters, user } : keep();
  }

  // Newer data are imported: a button that shows them, pressed by the page itself with live=1.
  function offerRefresh(live) {
    if (!live || live.shown === live.fresh) return { display: "none" };
    if (new URLSearchParams(window.location.search).get("live") === "1") layOutAnew(live.fresh);
    return {};
  }

  function refresh(clicks, live) {
    if (clicks && live) layOutAnew(live.fresh);
    return false;
  }

  // The router lays a page out when the address changes; linkPages then takes the version out again.
  function layOutAnew(version) {
    const address = new URL(window.location);
    address.searchParams.set("version", version);
    window.history.replaceState(window.history.state, "", address);
    window.dispatchEvent(new CustomEvent("_dashprivate_pushstate"));
  }
  const withoutVersion = (search) => (search || "").replace(/^\?/, "").split("&")
    .filter((pair) => pair && !pair.startsWith("version=")).map((pair, place) => (place ? "&" : "?") + pair).join("");

  // The page as it is without any choice but its trace, its controls included: Back leads back to what was chosen.
  function reset(clicks) {
    const given = new URLSearchParams(window.location.search);
    const kept = ["trace", "live"].filter((key) => given.has(key)).map((key) => key + "=" + encodeURIComponent(given.get(key)));
    if (clicks) open("?" + kept.concat("version=reset-" + Date.now()).join("&"));
    return keep();
  }

  // Open this page with another query, as a link does: Back leads back. A dcc.Location must not do it: whenever it
  // is drawn again it brings back the address that it knew before the filters rewrote it.
  function open(search) {
    window.history.pushState({}, "", window.location.pathname + search);
    window.dispatchEvent(new CustomEvent("_dashprivate_pushstate"));
  }

  // Follow an address that a chart carries: "?…" is this page with another choice, "/…" another page, and
  // "#grid?column=low..high" filters a grid of this page.
  function openPlace(place) {
    if (place.startsWith("#")) return filterGrid(place);
    rememberScroll();
    if (place.startsWith("?")) return open(withOtherKeys(place, window.location.search));
    window.history.pushState({}, "", place);
    window.dispatchEvent(new CustomEvent("_dashprivate_pushstate"));
  }
  const isPlace = (data) => typeof data === "string" && /^([?/]|#[\w-]+\?)/.test(data);

  // Show the rows of a grid whose number is at least low and less than high, once more all of them. It is the grid's
  // own filter, which its column offers to change.
  function filterGrid(place) {
    const [, id, column, range] = place.match(/^#(.+)\?(.+)=(.+)$/);
    const element = document.getElementById(id);
    const api = element && window.dash_ag_grid.getApi(id);
    if (!api) return;
    const [low, high] = range.split("..");
    const conditions = [["greaterThanOrEqual", low], ["lessThan", high]].filter(([, end]) => end)
      .map(([type, end]) => ({ filterType: "number", type, filter: Number(end) }));
    const model = conditions.length > 1 ? { filterType: "number", operator: "AND", conditions } : conditions[0];
    const shown = element.dataset.shown === place && api.isColumnFilterPresent();
    element.dataset.shown = place;
    api.setColumnFilterModel(column, shown ? null : model).then(() => api.onFilterChanged());
    api.ensureColumnVisible(column);
    element.scrollIntoView({ block: "nearest" });
  }

  // A line's address may leave places that a point of it fills: {x} is its value, {row} its row of a heat map counted
  // from 1, {day} the local day of a time and {next_day} the one after.
  const PLACES = {
    x: ({ x }) => x,
    row: ({ y }, line) => line.y.indexOf(y) + 1,
    day: ({ x }) => String(x).slice(0, 10),
    next_day: ({ x }) => dayAfter(String(x).slice(0, 10)),
  };
  const ANY_PLACE = /\{(x|row|day|next_day)\}/g;
  function filled(address, point, line) {
    return address.replace(ANY_PLACE, (_, name) => encodeURIComponent(PLACES[name](point, line)));
  }

  // A click on a point or bar opens the address that it carries, else the one of its line.
  function openPoint(clicks) {
    const { triggered, triggered_id: id } = window.dash_clientside.callback_context;
    const points = triggered.length && triggered[0].value ? triggered[0].value.points : [];
    const plot = points.length && plotOf(id.name);
    if (!plot) return keep();
    const places = points.map((point) => [[].concat(point.customdata || [])[0], plot.data[point.curveNumber].meta].find(isPlace));
    const nearest = points.map((point, index) => ({ point, place: places[index], far: distance(plot, point) }))
      .filter((each) => each.place).sort((one, other) => one.far - other.far)[0];
    if (nearest) openPlace(filled(nearest.place, nearest.point, plot.data[nearest.point.curveNumber]));
    return keep();
  }

  // How far above or below the press a point is, in px: charts report all lines at one x.
  let pressedAt = 0;
  function distance(plot, point) {
    const axis = plot._fullLayout.yaxis;
    const top = plot.querySelector(".nsewdrag").getBoundingClientRect().top;
    return typeof point.y === "number" ? Math.abs(axis.d2p(point.y) - (pressedAt - top)) : 0;
  }

  // The skip link moves the focus without a mark in the address, which copied links would keep.
  document.addEventListener("click", (event) => {
    if (!event.target.closest || !event.target.closest(".skip-link")) return;
    event.preventDefault();
    document.getElementById("main").focus();
  });

  // So does a name in a legend. Plotly reports it to its own listeners alone, which a chart gets at the first press.
  document.addEventListener("mousedown", (event) => {
    pressedAt = event.clientY;
    const plot = event.target.closest && event.target.closest(".js-plotly-plot");
    if (!plot || !plot.on || plot.heliographEvents === plot._ev) return;
    plot.heliographEvents = plot._ev;
    plot.on("plotly_legendclick", ({ curveNumber, data }) => {
      const place = data[curveNumber].meta;
      if (!isPlace(place) || place.search(ANY_PLACE) >= 0) return true;
      openPlace(place);
      return false;
    });
  }, true);

  const SCHEME_KEY = "mantine-color-scheme-value";

  function systemScheme() {
    return window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  }

  function chosenScheme() {
    try {
      const chosen = window.localStorage.getItem(SCHEME_KEY);
      return chosen === "dark" || chosen === "light" ? chosen : null;
    } catch (error) {
      return null; // storage is switched off
    }
  }

  function setScheme(scheme) {
    window.dash_clientside.set_props("theme", { forceColorScheme: scheme });
    window.dash_clientside.set_props("color-scheme", { data: scheme });
  }

  // The scheme in force: the system's until the button chooses one, which the browser then remembers.
  function chooseScheme(clicks, current) {
    if (!clicks) {
      window
        .matchMedia("(prefers-color-scheme: dark)")
        .addEventListener("change", () => chosenScheme() || setScheme(systemScheme()));
      const scheme = chosenScheme() || systemScheme();
      return [scheme, scheme];
    }
    const scheme = current === "dark" ? "light" : "dark";
    try {
      window.localStorage.setItem(SCHEME_KEY, scheme);
    } catch (error) {
      // It then lasts as long as the page.
    }
    return [scheme, scheme];
  }

  // A figure in the colors of the scheme in force; hidden while there is none or while its table is shown.
  function showFigure(figure, tableShown, scheme, templates) {
    if (!figure) return [{ data: [], layout: {} }, "chart-hidden"];
    const template = templates[scheme || chosenScheme() || systemScheme()];
    const shown = [{ ...figure, layout: { ...figure.layout, template } }, tableShown ? "chart-hidden" : "chart"];
    const plot = plotOf(window.dash_clientside.callback_context.outputs_list[0].id.name);
    return plot && (plot.data || []).length ? shown : inTurn(shown);
  }

  // The charts of a page that opens take turns, so that the first is on the screen while the others are drawn.
  let [lastTurn, inLine] = [Promise.resolve(), 0];
  function inTurn(shown) {
    const mine = inLine && lastTurn;
    inLine += 1;
    lastTurn = lastTurn.then(() => new Promise((next) => window.setTimeout(next))).then(() => (inLine -= 1));
    return mine ? mine.then(() => shown) : shown;
  }

  // The controls as one value, written in the address without a new entry in the history.
  function keepFilters(clusters, vcs, dates, minDate, maxDate, current) {
    const [first, last] = dates || [];
    if (Boolean(first) !== Boolean(last)) return keep(); // the first of two days is picked
    const filters = {
      trace: current.trace,
      clusters: [...(clusters || [])].sort(),
      vcs: [...(vcs || [])].sort(),
      first_day: first && first !== minDate ? first : null,
      last_day: last && last !== maxDate ? last : null,
    };
    const query = queryString(filters);
    if (query === queryString(current)) return keep();
    writeAddress(query);
    return filters;
  }

  function openTrace(trace, current) {
    if (trace && trace !== current.trace) open(withOtherKeys(queryString({ trace }), window.location.search));
    return keep();
  }

  // The filters of an address, without what belongs to its page alone.
  const filtersOf = (search) => (search || "").replace(/^\?/, "").split("&")
    .filter((pair) => keyOf(pair) !== "version" && FILTER_KEYS.includes(keyOf(pair)))
    .map((pair, place) => (place ? "&" : "?") + pair).join("");

  // Links between pages keep the filters. The page that is open, or the one above it, is the longest path that fits.
  // They are written here, not by Dash: an output for each would have every component of the page look for changes.
  function linkPages(search, _pathname, _drawer, filters) {
    const clean = withoutVersion(window.location.search);
    if (clean !== window.location.search)
      window.history.replaceState(window.history.state, "", window.location.pathname + clean + window.location.hash);
    writeLinks(filters ? linkQuery(filters) : filtersOf(search));
  }

  function writeLinks(query) {
    const live = new URLSearchParams(window.location.search).get("live");
    const search = withOtherKeys(query, live ? "?live=" + live : "");
    const here = window.location.pathname.replace(/\/$/, "");
    const links = [...document.querySelectorAll(".nav-link, .brand")];
    const root = Math.min(...links.map((link) => link.dataset.path.length));
    const fits = (path) => here === path.replace(/\/$/, "") || (path.length > root && here.startsWith(path + "/"));
    const longest = Math.max(...links.map((link) => link.dataset.path).filter(fits).map((path) => path.length));
    for (const link of links) {
      const { path } = link.dataset;
      link.setAttribute("href", path + search);
      if (fits(path) && path.length === longest) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }

  // Back leads to where one was on a page: once Dash has laid it out, and as soon as it is about as high again as it
  // was, since its charts may have to be computed first; until it stays there. Whoever moves meanwhile stays.
  const WAIT_MS = 60_000;
  const LOOK_MS = 50;
  const HELD_MS = 1000;
  const ABOUT_PX = 40;
  let wayBack = new AbortController();
  function rememberScroll() {
    window.history.replaceState({ ...window.history.state, heliographScroll: window.scrollY }, "");
  }
  document.addEventListener("click", (event) => event.target.closest && event.target.closest("a[href]") && rememberScroll(), true);
  window.addEventListener("popstate", ({ state }) => {
    wayBack.abort();
    const top = state && state.heliographScroll;
    if (!top) return;
    const back = (wayBack = new AbortController());
    const stop = () => back.abort();
    ["wheel", "touchstart", "keydown", "mousedown"].forEach((name) => window.addEventListener(name, stop, { signal: back.signal, passive: true }));
    let [laidOut, thereSince] = [false, 0];
    const watch = new MutationObserver(() => (laidOut = true));
    watch.observe(document.querySelector("main"), { childList: true, subtree: true });
    const looking = window.setInterval(() => {
      if (!laidOut) return;
      const there = Math.abs(window.scrollY - top) < ABOUT_PX;
      if (!there) thereSince = 0;
      else if (!thereSince) thereSince = performance.now();
      else if (performance.now() - thereSince > HELD_MS) stop();
      if (!there && document.documentElement.scrollHeight - window.innerHeight > top - ABOUT_PX) window.scrollTo(0, top);
    }, LOOK_MS);
    const patience = window.setTimeout(stop, WAIT_MS);
    back.signal.addEventListener("abort", () => {
      watch.disconnect();
      window.clearInterval(looking);
      window.clearTimeout(patience);
    });
  });

  // A plain click on a link that Dash does not know opens its page without loading the application anew.
  document.addEventListener("click", (event) => {
    const link = event.target.closest && event.target.closest("a.nav-link, a.brand, .drawn-table a, .grid a");
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    const place = link.getAttribute("href");
    window.dash_clientside.set_props("drawer", { opened: false });
    if (place === window.location.pathname + window.location.search) return;
    openPlace(place);
    window.scrollTo(0, 0);
  });

  // The chart as it is shown, on the color of its card.
  async function savePicture(clicks, id, scheme) {
    const button = window.dash_clientside.callback_context.triggered_id;
    const plot = clicks && button && plotOf(button.name);
    if (!plot || !window.Plotly) return keep();
    const surface = getComputedStyle(document.documentElement).getPropertyValue("--surface").trim();
    const size = plot.getBoundingClientRect();
    const picture = { data: plot.data, layout: { ...plot.layout, paper_bgcolor: surface, plot_bgcolor: surface } };
    await window.Plotly.downloadImage(picture, {
      format: "png", filename: "heliograph-" + button.name, width: size.width, height: size.height, scale: 2,
    });
    return keep();
  }

  function plotOf(name) {
    const chart = [...document.querySelectorAll("[id]")]
      .find((each) => each.id.includes('"type":"chart"') && each.id.includes('"name":"' + name + '"'));
    return chart && chart.querySelector(".js-plotly-plot");
  }

  function toggleDrawer(menuOpened, drawerOpened) {
    const triggered = window.dash_clientside.callback_context.triggered_id;
    const opened = triggered === "menu" ? menuOpened : triggered === "drawer" ? drawerOpened : false;
    return [opened, opened];
  }

  function copyText(text) {
    if (navigator.clipboard && window.isSecureContext) return navigator.clipboard.writeText(text);
    const field = document.createElement("textarea"); // plain http on another machine has no clipboard
    field.value = text;
    document.body.appendChild(field);
    field.select();
    document.execCommand("copy");
    field.remove();
    return Promise.resolve();
  }

  // A notice of one page is gone on the next.
  function nothing() {
    return null;
  }

  async function copyLink() {
    try {
      await copyText(window.location.href);
      window.setTimeout(() => window.dash_clientside.set_props("copy-link", { children: "Copy link" }), 1500);
      return "Copied";
    } catch (error) {
      return "Copy the address";
    }
  }

  window.heliograph = { queryString, linkQuery, isPlace, keyOf, copyText, open };
  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    heliograph: {
      chooseScheme, showFigure, savePicture, keepFilters, nameTheChoice, nameTheUser, choosePublished, offerRefresh, refresh, reset, openTrace, openPoint, linkPages,
      toggleDrawer, nothing, copyLink,
    },
  });
})();
