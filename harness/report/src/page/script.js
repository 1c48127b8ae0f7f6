// The values of a mark beside the pointer, or by the arrow keys. Without this script a mark's <title> shows them.
"use strict";
(() => {
  const tip = document.getElementById("tip");
  const said = document.getElementById("said");
  const words = new Map();

  // A title of the browser's own would come a second later, and cover this one.
  for (const title of document.querySelectorAll(".mark > title")) {
    if (title.textContent) words.set(title.parentNode, title.textContent.trim());
    title.remove();
  }

  let here = null;
  function show(mark) {
    here?.classList.remove("here");
    here = mark;
    tip.hidden = !mark;
    if (!mark) return;
    mark.classList.add("here");
    tip.textContent = words.get(mark);
    const shape = mark.querySelector(".bar, .part, .point, .peer") ?? mark;
    const box = shape.getBoundingClientRect();
    const most = document.documentElement.clientWidth - tip.offsetWidth - 8;
    const left = Math.max(8, Math.min(box.left + box.width / 2 - tip.offsetWidth / 2, most));
    const above = box.top - tip.offsetHeight - 8;
    tip.style.left = `${left + scrollX}px`;
    tip.style.top = `${(above > 0 ? above : box.bottom + 8) + scrollY}px`;
  }

  const markOf = (target) => {
    const mark = target.closest?.(".mark");
    return words.has(mark) ? mark : null;
  };
  document.addEventListener("pointerover", (event) => {
    const mark = markOf(event.target);
    if (mark || !document.activeElement?.matches(".picture")) show(mark);
  });
  document.addEventListener("click", (event) => show(markOf(event.target)));

  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  for (const picture of document.querySelectorAll(".picture")) {
    const marks = [...picture.querySelectorAll(".mark")].filter((mark) => words.has(mark));
    picture.addEventListener("keydown", (event) => {
      let next = marks.indexOf(here);
      if (event.key in steps) next = next < 0 && steps[event.key] < 0 ? marks.length - 1 : next + steps[event.key];
      else if (event.key === "Home") next = 0;
      else if (event.key === "End") next = marks.length - 1;
      else if (event.key === "Escape") return show(null);
      else return;
      event.preventDefault();
      const mark = marks[Math.max(0, Math.min(next, marks.length - 1))];
      if (!mark) return;
      show(mark);
      said.textContent = words.get(mark);
    });
    picture.addEventListener("blur", () => show(null));
  }

  // What is folded away is printed if it was opened, and a link to a part opens it.
  addEventListener("hashchange", () => {
    const details = document.querySelector(location.hash)?.closest("details");
    if (details) details.open = true;
  });
})();
