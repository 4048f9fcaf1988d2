// What keeps people from reading or using the page that is open: a list of sentences, empty where nothing does.
() => {
  const problems = [];
  const say = (what, element) => problems.push(what + ": " + describe(element));
  const describe = (element) => element.outerHTML.replace(/\s+/g, " ").slice(0, 140);
  const style = (element) => getComputedStyle(element);
  const shown = (element) => {
    const box = element.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  };
  const disabled = (element) => element.closest("[disabled], [aria-disabled=true], [data-disabled]");

  function name(element) {
    const by = (element.getAttribute("aria-labelledby") || "").split(" ").map((id) => id && document.getElementById(id));
    return [
      element.getAttribute("aria-label"), ...by.map((each) => each && each.textContent),
      ...[...(element.labels || [])].map((label) => label.textContent), element.getAttribute("title"), element.getAttribute("alt"),
      element.matches("input, select, textarea") ? "" : element.textContent,
      ...[...element.querySelectorAll("img[alt], [aria-label]")].map((each) => each.getAttribute("alt") || each.getAttribute("aria-label")),
    ].filter(Boolean).join(" ").trim();
  }

  const controls = "a[href], button, input:not([type=hidden]), select, textarea, summary, [role=button], [role=switch], [role=tab], [tabindex='0']";
  for (const control of document.querySelectorAll(controls))
    if ((shown(control) || control.matches("input[type=checkbox], input[type=radio]")) && !control.closest("[aria-hidden=true]") && !name(control))
      say("no name", control);
  for (const image of document.querySelectorAll("img, svg[role=img]"))
    if (shown(image) && !image.hasAttribute("alt") && !name(image)) say("no alternative", image);
  for (const plot of document.querySelectorAll(".js-plotly-plot")) {
    const place = plot.closest("[role=img]");
    if (shown(plot) && !(place && name(place))) say("a chart without words", plot.parentElement);
  }

  const headings = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].filter(shown);
  if (headings.filter((each) => each.tagName === "H1").length !== 1) problems.push("not one first heading");
  headings.map((each) => Number(each.tagName[1])).reduce((before, level, place) => {
    if (level > before + 1) say("a level of headings is skipped", headings[place]);
    return level;
  }, 0);
  const ids = [...document.querySelectorAll("[id]")].map((each) => each.id).filter((id) => id && !/^(clip|topdefs|defs|g|legend)/.test(id));
  ids.filter((id, place) => ids.indexOf(id) !== place).forEach((id) => problems.push("an id twice: " + id));
  if (document.querySelectorAll("main").length !== 1) problems.push("not one main landmark");

  // Contrast of text with what is behind it, by WCAG 2: 4.5, or 3 where it is large.
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  function rgba(color) {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  }
  const over = (front, back) => [0, 1, 2].map((part) => front[part] * front[3] + back[part] * (1 - front[3])).concat(1);
  function behind(element) {
    const layers = [];
    for (let each = element; each; each = each.parentElement) {
      const color = rgba(style(each).backgroundColor);
      if (color[3] > 0) layers.push(color);
      if (color[3] === 1) break;
    }
    return layers.reverse().reduce((back, front) => over(front, back), [255, 255, 255, 1]);
  }
  const light = (color) => color.slice(0, 3).map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, place) => sum + part * [0.2126, 0.7152, 0.0722][place], 0);
  function opacity(element) {
    let product = 1;
    for (let each = element; each; each = each.parentElement) product *= Number(style(each).opacity);
    return product;
  }
  const seen = new Set();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || seen.has(element) || element.closest("script, style, noscript, title")) continue;
    seen.add(element);
    if (!shown(element) || disabled(element) || element.closest(".modebar, .skip-link")) continue;
    const drawn = element.closest("svg");
    const color = rgba(drawn ? style(element).fill : style(element).color);
    const back = behind(drawn ? drawn.parentElement : element);
    color[3] *= opacity(element);
    const [one, other] = [light(over(color, back)), light(back)].sort((a, b) => b - a);
    const size = parseFloat(style(element).fontSize), bold = Number(style(element).fontWeight) >= 700;
    const least = size >= 24 || (bold && size >= 18.66) ? 3 : 4.5;
    const ratio = (one + 0.05) / (other + 0.05);
    if (ratio < least) say("contrast " + ratio.toFixed(2), element);
  }
  return [...new Set(problems)];
}
