// The callbacks of the what-if pages that run in the browser: their forms in the address, presets, links to runs.
(function () {
  const keep = () => window.dash_clientside.no_update;
  const text = (value) => (typeof value === "number" ? String(Number(value.toPrecision(12))) : String(value));

  function writeAddress(query) {
    window.history.replaceState(window.history.state, "", window.location.pathname + query + window.location.hash);
    return query;
  }

  function joined(pairs) {
    const readable = (value) => encodeURIComponent(value).replace(/%2F/g, "/").replace(/%3A/g, ":");
    return pairs.map(([key, value]) => key + "=" + readable(value)).join("&");
  }

  function withPairs(query, pairs) {
    if (!pairs.length) return query;
    return (query ? query + "&" : "?") + joined(pairs);
  }

  // The same pairs as replay_pairs in components/replay_form.py; unfinished rows and empty fields are left out.
  function keepReplay(
    filters, policies, placement, load, durations, options, vcs, nodes, run, defaults, optionIds,
  ) {
    const pairs = [];
    const chosen = defaults.order.filter((policy) => (policies || []).includes(policy));
    const usual = [...defaults.policies].sort().join();
    if ([...chosen].sort().join() !== usual) chosen.forEach((policy) => pairs.push(["policy", policy]));
    if (placement && placement !== "consolidate") pairs.push(["placement", placement]);
    if (typeof load === "number" && load !== 1) pairs.push(["load", text(load)]);
    if (typeof durations === "number" && durations !== 1) pairs.push(["durations", text(durations)]);
    optionIds.forEach((id, place) => {
      if (options[place]) pairs.push([defaults.options[id.name], "1"]);
    });
    (vcs || []).forEach((vc, row) => {
      if (vc && Number.isInteger(nodes[row]) && nodes[row] !== 0) pairs.push(["nodes", vc + ":" + nodes[row]]);
    });
    if (defaults.carried) pairs.push(["also", defaults.carried]);
    if (run) pairs.push(["run", run]);
    const query = writeAddress(withPairs(window.heliograph.withDays(filters, defaults), pairs));
    return (policies || []).length ? query : withPairs(query, [["policy", ""]]);
  }

  // When the page replays the form's settings: at once, but never before it has answered the question before. A page
  // that shows a run's result begins as if it had been asked about that run's settings.
  const PATIENCE_MS = 15000;
  function askPreview(address, answered, ask) {
    if (!address) return keep();
    const wanted = "?" + address.replace(/^\?/, "").split("&").filter((pair) => !pair.startsWith("run=")).join("&");
    const open = ask && ask.address !== answered && Date.now() - ask.time < PATIENCE_MS;
    if (open || (ask && ask.address === wanted)) return keep();
    return { address: wanted, time: Date.now() };
  }

  // A number field and its slider say the same; the slider stops at its ends where the field goes on.
  function followSlider(field, slider, least, most) {
    const moved = window.dash_clientside.callback_context.triggered.some((each) => each.prop_id.includes("slider"));
    if (moved) return [slider, keep()];
    return [keep(), typeof field === "number" ? Math.min(Math.max(field, least), most) : keep()];
  }

  // The same pairs as energy_pairs in components/energy_choice.py.
  function keepEnergy(
    dates, policy, model, controller, preset, values, boot, failures, frontier, power,
    run, demand, usual, names, powerNames,
  ) {
    const pairs = [["trace", demand.trace], ["cluster", demand.cluster]];
    const [first, last] = dates || [];
    if (Boolean(first) !== Boolean(last)) return keep(); // the first of two days is picked
    if (first && first !== demand.default_first_day) pairs.push(["from", first]);
    if (last && last !== demand.last_day) {
      pairs.push(["to", new Date(Date.parse(last + "T00:00:00Z") + 86400000).toISOString().slice(0, 10)]);
    }
    if (policy && policy !== "usual") pairs.push(["policy", policy]);
    if (model && model !== "seasonal") pairs.push(["model", model]);
    if (controller && controller !== "ces") pairs.push(["controller", controller]);
    if (takesPreset(controller) && preset && preset !== demand.default_preset) pairs.push(["preset", preset]);
    const own = usual[controller][preset].values;
    names.forEach((id, place) => {
      const value = values[place];
      if (typeof value === "number" && id.name in own && value !== own[id.name]) {
        pairs.push([demand.keys[id.name], text(value)]);
      }
    });
    if (typeof boot === "number" && boot > 0) pairs.push(["boot", text(boot)]);
    if (typeof failures === "number" && failures > 0) pairs.push(["failures", text(failures)]);
    if (frontier === false) pairs.push(["frontier", "0"]);
    powerNames.forEach((id, place) => {
      if (typeof power[place] === "number") pairs.push([demand.keys[id.name], text(power[place])]);
    });
    if (demand.carried) pairs.push(["also", demand.carried]);
    if (run) pairs.push(["run", run]);
    return writeAddress("?" + joined(pairs));
  }

  // A whole new page: dcc.Location knows only the address before keepEnergy rewrote it, and would go back to it.
  function openDemand(trace, cluster, demand) {
    const open = (pairs) => window.location.assign(window.location.pathname + "?" + joined(pairs));
    if (trace && trace !== demand.trace) open([["trace", trace]]);
    else if (cluster && cluster !== demand.cluster) open([["trace", trace], ["cluster", cluster]]);
    return keep();
  }

  const takesPreset = (controller) => controller === "ces" || controller === "ces_published";

  // The chosen controller's parameters at their usual values; those of other controllers are hidden and empty.
  function chooseController(controller, preset, usual, ids) {
    const { values, sentence } = usual[controller][preset];
    return [
      ids.map((id) => (id.name in values ? values[id.name] : "")),
      ids.map((id) => (id.name in values ? "" : "hidden")),
      takesPreset(controller) ? "" : "hidden",
      sentence,
    ];
  }

  // The unit behind a number field goes with its number: 1 node, 2 nodes.
  const agree = (value, suffix) => (suffix ? suffix.replace(/s?$/, value === 1 ? "" : "s") : keep());

  // The address of the run, copied; the button says so for a moment.
  async function copyRunLink(clicks, path, id) {
    if (!clicks) return keep();
    const address = window.location.origin + path;
    try {
      await window.heliograph.copyText(address);
      window.setTimeout(() => window.dash_clientside.set_props(id, { children: "Copy link" }), 1500);
      return "Copied";
    } catch (error) {
      return address;
    }
  }

  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    whatIf: { keepReplay, askPreview, followSlider, keepEnergy, openDemand, chooseController, agree, copyRunLink },
  });
})();
