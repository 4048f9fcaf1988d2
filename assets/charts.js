// What Plotly itself writes and points at: the dates of axes in the words of components/numbers.py (a day under its
// hours in two lines, so that hours stay side by side), and a hand over what a click opens.
(function () {
  const DATES = { year: "%Y", month: "%b %Y", dayMonth: "%-d %b", dayMonthYear: "%-d %b<br>%Y", date: "%Y-%m-%d" };
  const dates = { moduleType: "locale", name: "en-US", dictionary: {}, format: DATES };
  if (window.Plotly) window.Plotly.register(dates);
  else window.PlotlyLocales = [...(window.PlotlyLocales || []), dates];

  // A point opens the address that it carries, else the one of its line (openPoint in heliograph.js).
  const isPlace = (data) => window.heliograph.isPlace(data);
  const opens = ({ customdata, data }) => isPlace([].concat(customdata || [])[0]) || isPlace(data.meta);

  // Plotly reports points to its own listeners alone, which a chart gets when the mouse first comes to it.
  document.addEventListener("mouseover", ({ target }) => {
    const plot = target.closest && target.closest(".js-plotly-plot");
    if (!plot || !plot.on || plot.heliographPointed === plot._ev) return;
    plot.heliographPointed = plot._ev;
    plot.on("plotly_hover", ({ points }) => plot.classList.toggle("opens", points.some(opens)));
    plot.on("plotly_unhover", () => plot.classList.remove("opens"));
  });
})();
