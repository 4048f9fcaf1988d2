// How AG Grid writes what Heliograph shows: the same forms as components/numbers.py. A browser test compares the two.
(function () {
  const NBSP = "\u00a0", GPU_H = "GPU-\u2060h"; // a unit that no line ends within
  const functions = (window.dashAgGridFunctions = window.dashAgGridFunctions || {});
  const components = (window.dashAgGridComponentFunctions = window.dashAgGridComponentFunctions || {});

  const known = (write) => (value) => (value === null || value === undefined || value === "" ? "—" : write(Number(value)));
  const grouped = (value, digits) =>
    value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });

  function two(whole, large, largeName, small, smallName) {
    const second = Math.floor((whole % large) / small);
    const first = grouped(Math.floor(whole / large), 0) + NBSP + largeName;
    return second ? first + NBSP + second + NBSP + smallName : first;
  }

  function duration(seconds) {
    if (seconds < 0) return "−" + duration(-seconds);
    if (seconds < 10 && !Number.isInteger(seconds)) return seconds.toFixed(1) + NBSP + "s";
    const whole = Math.floor(seconds + 0.5);
    if (whole < 60) return whole + NBSP + "s";
    if (whole < 3600) return two(whole, 60, "min", 1, "s");
    if (whole < 86370) return two(Math.round(whole / 60) * 60, 3600, "h", 60, "min");
    return two(Math.round(whole / 3600) * 3600, 86400, "d", 3600, "h");
  }

  const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

  functions.heliograph_duration = known(duration);
  functions.heliograph_count = known((value) =>
    Number.isInteger(value) || Math.abs(value) >= 100 ? grouped(value, 0) : String(Number(value.toPrecision(2))));
  functions.heliograph_percent = known((value) =>
    grouped(100 * value, 1).replace(/^-0\.0$/, "0.0").replace("-", "−") + NBSP + "%");
  functions.heliograph_gpu_time = known((value) => grouped(value / 3600, value >= 360000 ? 0 : 1) + NBSP + GPU_H);
  // Local times come as 2020-09-28T23:50:00.
  functions.heliograph_time = (value) => {
    if (!value) return "—";
    const [year, month, day] = value.slice(0, 10).split("-");
    return Number(day) + " " + MONTHS[month - 1] + " " + year + ", " + value.slice(11, 16);
  };

  // A cell that draws its list of GPU-hours as a small line from zero; the words are read aloud.
  components.HeliographSpark = function (props) {
    const values = props.value || [];
    if (values.length < 2) return "—";
    const [width, height, most] = [110, 24, Math.max(...values) || 1];
    const points = values.map((value, place) =>
      ((place * width) / (values.length - 1)).toFixed(1) + "," + (height - 2 - (value / most) * (height - 4)).toFixed(1));
    const words = values.length + " weeks, at most " + grouped(most, most < 100 ? 1 : 0) + NBSP + GPU_H + " in one";
    const { createElement } = window.React;
    return createElement(
      "svg",
      { className: "grid-spark", viewBox: "0 0 " + width + " " + height, preserveAspectRatio: "none", role: "img", "aria-label": words },
      createElement("title", null, words),
      createElement("polyline", { points: points.join(" "), fill: "none", stroke: "currentColor", strokeWidth: 1.4 }),
    );
  };

  // A cell that opens the address in the row's "address".
  components.HeliographLink = function (props) {
    const value = props.value === null || props.value === undefined ? "—" : props.value;
    if (!props.data || !props.data.address) return value;
    return window.React.createElement("a", { href: props.data.address, className: "link" }, value);
  };
})();
