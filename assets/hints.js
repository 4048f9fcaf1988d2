// The text of a mark (components/labels.py) beside it while it is pointed at, focused or touched. One box for all
// marks: a component for each costs the page time at every change (docs/decisions/0012-quick-pages.md).
(function () {
  const GAP_PX = 6, EDGE_PX = 8;
  let box = null, shown = null;

  function show(mark) {
    shown = mark;
    if (!box) {
      box = document.createElement("div");
      box.className = "hint";
      box.setAttribute("role", "tooltip");
      document.body.appendChild(box);
    }
    box.textContent = mark.getAttribute("aria-label");
    box.hidden = false;
    const around = mark.getBoundingClientRect();
    const left = around.left + around.width / 2 - box.offsetWidth / 2;
    const above = around.top - box.offsetHeight - GAP_PX;
    box.style.left = Math.max(EDGE_PX, Math.min(left, document.documentElement.clientWidth - box.offsetWidth - EDGE_PX)) + "px";
    box.style.top = (above < EDGE_PX ? around.bottom + GAP_PX : above) + "px";
  }

  function hide() {
    shown = null;
    if (box) box.hidden = true;
  }

  // A mark that Tab has scrolled to keeps its text; one that is scrolled away from the pointer loses it.
  function follow() {
    if (shown && shown === document.activeElement) show(shown);
    else hide();
  }

  // A mark inside a label is no part of it: the control is neither opened nor switched.
  function keepFromControl(event) {
    const mark = markAt(event);
    if (!mark) return;
    event.preventDefault();
    event.stopPropagation();
    mark.focus({ preventScroll: true });
    show(mark);
  }

  const markAt = (event) => event.target.closest && event.target.closest(".help");
  const showAt = (event) => (markAt(event) ? show(markAt(event)) : hide());
  document.addEventListener("mouseover", showAt);
  document.addEventListener("focusin", showAt);
  document.addEventListener("focusout", hide);
  document.addEventListener("scroll", follow, { capture: true, passive: true });
  document.addEventListener("click", keepFromControl, true);
  document.addEventListener("mousedown", (event) => markAt(event) && event.preventDefault(), true);
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
})();
