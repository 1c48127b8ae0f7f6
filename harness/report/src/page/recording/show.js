"use strict";
// Steps through a recorded launch. The state after a step is built from the state before it, and each step keeps what it
// replaces, so that it can be undone. Nothing is computed here that the machine has not recorded.

const $ = id => document.getElementById(id);
const BANKS = 32, WORD = 4, SECTOR = 32;

// Creates an element with attributes and children, which are texts or elements.
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== null) element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

const lanesOf = mask => [...Array(32).keys()].filter(lane => mask >>> lane & 1);
const hex = number => "0x" + number.toString(16);
const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

// Gives each lane of a mask its value: `values` is one for all of them, or a list.
function spread(values, mask) {
  const all = Array(32).fill(null);
  lanesOf(mask).forEach((lane, at) => { all[lane] = Array.isArray(values) ? values[at] : values; });
  return all;
}

function named([block, warp, code, mask, event, number, reconverged, changes, access, finding]) {
  mask >>>= 0;
  const step = { block, warp, code, mask, event, number, reconverged, finding, access: null };
  step.changes = changes.map(([register, values]) => ({ register, values: spread(values, mask) }));
  if (access) {
    const [kind, space, bytes, addresses, elements, traffic, ideal] = access;
    step.access = { kind, space, bytes, traffic, ideal, addresses: spread(addresses, mask), elements: elements.map(e => spread(e, mask)) };
  }
  return step;
}

const view = new DataView(new ArrayBuffer(8));
// Writes the bits of a value as a person reads them.
function shown(value, bytes, isFloat) {
  if (value === null || value === undefined) return "";
  if (bytes === 0) return value ? "true" : "false";
  if (isFloat && bytes === 4) {
    view.setUint32(0, Number(value));
    return String(+view.getFloat32(0).toPrecision(7));
  }
  if (isFloat && bytes === 8) {
    view.setBigUint64(0, BigInt(value));
    return String(view.getFloat64(0));
  }
  if (bytes === 4) return String(value | 0);
  if (bytes === 8) return value < 2 ** 32 ? String(value) : String(value).startsWith("0xffffffff") ? String(BigInt.asIntN(64, BigInt(value))) : typeof value === "string" ? value : hex(value);
  return String(value);
}

class Launch {
  constructor({ launch, steps }) {
    Object.assign(this, launch);
    this.steps = steps.map(named);
    this.threads = this.block.reduce((all, n) => all * n, 1);
    this.at = -1; // The last step that is done.
    this.undo = [];
    this.registers = new Map(); // Of a warp: its registers, the last changed one last.
    this.memory = new Map(); // By the key of a cell: what it holds, and the step that wrote it.
    this.warps = new Map(); // By block and warp: its last step.
    this.jumps = {
      barrier: step => ["wait", "pass", "release"].includes(step.event),
      divergence: step => step.event === "diverge" || step.reconverged === 1,
      conflict: step => step.access !== null && step.access.space === "shared" && step.access.traffic > step.access.ideal,
      finding: step => step.finding !== null,
    };
  }

  name(step) { return `${step.block}:${step.warp}`; }

  // Identifies a cell of memory.
  key(step, space, lane, address) {
    if (space === "shared") return `s${step.block}:${address}`;
    if (space === "local") return `l${step.block}:${step.warp}:${lane}:${address}`;
    return `g${address}`;
  }

  put(map, key, value, undo) {
    undo.push([map, key, map.get(key)]);
    map.set(key, value);
  }

  // The cells that an access touches: lane, element, address, value.
  *cells(step) {
    const { access } = step;
    const each = access.bytes / Math.max(1, access.elements.length);
    for (const lane of lanesOf(step.mask)) {
      const address = access.addresses[lane];
      for (const [at, element] of access.elements.entries()) {
        const cell = typeof address === "string" ? hex(BigInt(address) + BigInt(at * each)) : address + at * each;
        yield { lane, address: cell, value: element[lane], bytes: each };
      }
    }
  }

  forward() {
    if (this.at + 1 >= this.steps.length) return false;
    const at = ++this.at, step = this.steps[at], undo = [], name = this.name(step);
    for (const { register, values } of step.changes) {
      const key = `${name}:${register}`, old = this.registers.get(key);
      const all = old ? [...old.values] : Array(32).fill(null), by = old ? [...old.by] : Array(32).fill(null);
      lanesOf(step.mask).forEach(lane => { all[lane] = values[lane]; by[lane] = at; });
      this.put(this.registers, key, { name, register, values: all, by, last: at }, undo);
    }
    if (step.access) {
      const isFloat = this.isFloat(step);
      for (const { lane, address, value, bytes } of this.cells(step)) {
        const key = this.key(step, step.access.space, lane, address), known = this.memory.get(key);
        const reads = step.access.kind === "load";
        // What is read first was there before the launch, or comes from a block that was not recorded.
        if (!reads || !known || known.value !== value) {
          this.put(this.memory, key, { value, bytes, isFloat, step: reads ? null : at, lane }, undo);
        }
      }
    }
    this.put(this.warps, name, { step: at, live: step.event === "exit" ? this.live(name) & ~step.mask : this.live(name) | 0 }, undo);
    this.undo.push(undo);
    return true;
  }

  // The lanes of a warp that have not exited.
  live(name) {
    const known = this.warps.get(name);
    if (known) return known.live >>> 0;
    const left = this.threads - 32 * Number(name.split(":")[1]);
    return left >= 32 ? 0xffffffff : 2 ** left - 1;
  }

  // Whether the registers that an access reads or writes hold floating-point numbers.
  isFloat(step) {
    if (step.changes.length) return this.registers_isFloat(step.changes[0].register);
    if (/\.f(32|64)\b/.test(this.code[step.code][0])) return true;
    const last = this.code[step.code][0].match(/%\w+/g) || [];
    const index = this.registers_named(last[last.length - 1]);
    return index >= 0 && this.registers_isFloat(index);
  }

  registers_isFloat(register) { return this.registerInfo[register][2] === 1; }
  registers_named(name) { return this.registerInfo.findIndex(info => info[0] === name); }

  back() {
    if (this.at < 0) return false;
    for (const [map, key, old] of this.undo.pop().reverse()) {
      if (old === undefined) map.delete(key); else map.set(key, old);
    }
    this.at--;
    return true;
  }

  go(to) {
    to = Math.max(0, Math.min(to, this.steps.length - 1));
    while (this.at < to && this.forward());
    while (this.at > to && this.back());
  }

  // The step from which on a condition holds next; null if there is none.
  find(holds, direction) {
    for (let at = this.at + direction; at >= 0 && at < this.steps.length; at += direction) {
      if (holds(this.steps[at])) return at;
    }
    return null;
  }

  // What the lanes of a step's warp do after it.
  state(step) {
    if (step.event === "exit") return this.live(this.name(step)) ? "some lanes have exited" : "has exited";
    if (step.event === "wait") return `waits at barrier ${step.number}`;
    const other = { lanes: "waits for lanes of its warp", phase: "waits at an mbarrier", cluster: "waits for its cluster", retry: "tries again", fault: "was stopped" };
    if (other[step.event]) return other[step.event];
    const active = lanesOf(step.mask).length, live = lanesOf(this.live(this.name(step))).length;
    return active < live ? `diverged: ${active} of ${live} lanes run` : "runs";
  }

  // The line that stands for an instruction: its own, or, in a header of the compiler, the one that calls it.
  place(code) {
    const [, ptxLine, source, callers] = this.code[code];
    const lines = source ? [source, ...callers].filter(([file]) => this.sources[file][1] !== null) : [];
    return lines.find(([file]) => !/[\/]include[\/]/.test(this.sources[file][0])) || lines[0] || ["ptx", ptxLine];
  }

  placed(code) {
    const [file, line] = this.place(code);
    return file === "ptx" ? `PTX line ${line}` : `line ${line}`;
  }

  // The files that instructions have lines of, and the lines.
  files() {
    const files = new Map();
    this.code.forEach((_, code) => {
      const [file, line] = this.place(code);
      files.set(file, (files.get(file) || new Set()).add(line));
    });
    return files;
  }

  // Names a global address by its allocation.
  address(space, address) {
    if (space === "shared") {
      const of = this.shared.filter(([, offset]) => offset <= address).pop();
      return of ? `${of[0]}+${address - of[1]}` : `shared+${address}`;
    }
    if (space !== "global") return `${space}+${address}`;
    const at = this.allocations.findIndex(([, start, bytes]) => address >= start && address < Number(start) + bytes);
    return at < 0 ? (typeof address === "string" ? address : hex(address)) : `${this.label(at)}+${address - this.allocations[at][1]}`;
  }

  label(at) {
    const [name] = this.allocations[at];
    return this.allocations.filter(other => other[0] === name).length > 1 ? `${name} #${at + 1}` : name || `array ${at + 1}`;
  }
}

const COLOURS = { runs: "--c2", diverged: "--c1", memory: "--c0", waits: "--c4", exited: "--rule" };

class Page {
  constructor(launch) {
    this.launch = launch;
    this.timer = null;
    this.timeline = null;
    const names = [...new Set(launch.steps.map(step => launch.name(step)))];
    this.names = names.map(name => name.split(":").map(Number)).sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(pair => pair.join(":"));
    for (const name of this.names) $("follow").append(make("option", { value: name }, this.warpName(name)));
    $("at").max = launch.steps.length - 1;
    this.buildSource();
    this.buildWarps();
    this.listen();
    this.go(Math.max(0, launch.steps.findIndex(step => step.finding !== null)));
  }

  warpName(name) {
    const [block, warp] = name.split(":");
    return this.launch.blocks[0] === this.launch.blocks[1] ? `warp ${warp}` : `block ${block}, warp ${warp}`;
  }

  listen() {
    const click = (id, act) => $(id).addEventListener("click", act);
    click("first", () => this.go(0));
    click("back", () => this.move(-1));
    click("step", () => this.move(1));
    click("play", () => this.play());
    $("at").addEventListener("input", () => this.go(Number($("at").value)));
    for (const button of document.querySelectorAll("[data-jump]")) {
      button.addEventListener("click", () => this.jump(button.dataset.jump, 1));
      button.disabled = !this.launch.steps.some(this.launch.jumps[button.dataset.jump]);
    }
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    addEventListener("resize", () => this.draw());
    addEventListener("keydown", event => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("select, input, summary")) return;
      if (event.key === " " && event.target.closest("button")) return;
      const keys = {
        ArrowRight: () => this.move(1), ArrowLeft: () => this.move(-1), Home: () => this.go(0), End: () => this.go(Infinity), " ": () => this.play(),
        w: () => this.sameWarp(1), W: () => this.sameWarp(-1),
      };
      for (const kind of Object.keys(this.launch.jumps)) {
        keys[kind[0]] = () => this.jump(kind, 1);
        keys[kind[0].toUpperCase()] = () => this.jump(kind, -1);
      }
      if (event.target.closest(".scroll") && event.key.startsWith("Arrow")) return;
      if (keys[event.key]) {
        keys[event.key]();
        event.preventDefault();
      }
    });
  }

  followed(step) { return !$("follow").value || this.launch.name(step) === $("follow").value; }

  move(direction) {
    const to = this.launch.find(step => this.followed(step), direction);
    if (to !== null) this.go(to);
    return to !== null;
  }

  sameWarp(direction) {
    const name = this.launch.name(this.launch.steps[this.launch.at]);
    const to = this.launch.find(step => this.launch.name(step) === name, direction);
    if (to !== null) this.go(to);
  }

  jump(kind, direction) {
    const to = this.launch.find(step => this.followed(step) && this.launch.jumps[kind](step), direction);
    if (to === null) this.say(`There is no ${direction > 0 ? "further" : "earlier"} ${kind}.`);
    else this.go(to);
  }

  play() {
    const isPlaying = this.timer !== null;
    clearTimeout(this.timer);
    this.timer = null;
    $("play").textContent = isPlaying ? "Play" : "Pause";
    const next = () => {
      if (!this.move(1)) return this.play();
      this.timer = setTimeout(next, Number($("speed").value));
    };
    if (!isPlaying) this.timer = setTimeout(next, 0);
  }

  say(text) { $("said").textContent = text; }

  go(to) {
    this.launch.go(to);
    this.show();
  }

  show() {
    const { launch } = this, step = launch.steps[launch.at];
    $("at").value = launch.at;
    $("number").textContent = `${launch.at + 1} of ${launch.steps.length}`;
    const lanes = step.mask ? plural(lanesOf(step.mask).length, "lane") : "no lane, as the guard holds in none";
    const text = [`${this.warpName(launch.name(step))}, ${launch.placed(step.code)}: ${launch.code[step.code][0]} (${lanes})`];
    if (step.reconverged) text.push("The lanes run together again.");
    const events = { diverge: "The lanes part here.", release: "The barrier has opened.", pass: "This warp is the last at the barrier, or need not wait: it goes on." };
    const state = launch.state(step);
    if (events[step.event]) text.push(events[step.event]);
    else if (step.event) text.push(`The warp ${state}.`);
    if (step.finding !== null) text.push(`Finding: ${launch.findings[step.finding][0]}.`);
    this.say(text.join(" "));
    $("finding").hidden = step.finding === null;
    $("finding").textContent = step.finding === null ? "" : launch.findings[step.finding][1];
    this.showSource(step);
    this.showWarps(step);
    this.showLanes(step);
    this.showAccess(step);
    this.showBanks(step);
    this.showSectors(step);
  }

  // The source, or the PTX where there is none: of each file, the lines around those that have instructions.
  buildSource() {
    const { launch } = this;
    this.files = new Map();
    for (const [file, used] of launch.files()) {
      const texts = new Map();
      if (file === "ptx") launch.code.forEach(([text, line]) => texts.set(line, text));
      else launch.sources[file][1].split("\n").forEach((text, at) => texts.set(at + 1, text));
      const list = make("ol", { class: "lines" }), lines = new Map();
      let last = null;
      for (const [line, text] of [...texts].sort((a, b) => a[0] - b[0])) {
        if (file !== "ptx" && ![...Array(9).keys()].some(near => used.has(line + near - 4))) continue;
        if (file !== "ptx" && last !== null && line > last + 1) list.append(make("li", { class: "gap" }, make("span", { class: "no" }, "⋮")));
        last = line;
        const at = make("span", { class: "at" });
        const item = make("li", {}, make("span", { class: "no" }, String(line)), at, make("span", {}, text));
        lines.set(line, { item, at });
        list.append(item);
      }
      this.files.set(file, { list, lines, name: file === "ptx" ? "PTX" : launch.sources[file][0] });
    }
    this.fileName = make("p", { class: "small" });
    this.ptx = make("p", { class: "small" });
    this.code = make("div", { class: "scroll code", tabindex: "0", role: "region", "aria-label": "Source with the current line of each warp" });
    $("source").append(this.fileName, this.code, this.ptx);
  }

  showSource(step) {
    const { launch } = this, [file, line] = launch.place(step.code), shownFile = this.files.get(file);
    if (this.file !== file) {
      this.file = file;
      this.fileName.textContent = shownFile.name;
      this.code.replaceChildren(shownFile.list);
    }
    for (const { item, at } of shownFile.lines.values()) {
      item.className = "";
      item.removeAttribute("aria-current");
      at.textContent = "";
    }
    const marks = new Map();
    for (const [name, known] of launch.warps) {
      const its = launch.steps[known.step];
      if (its.block !== step.block || (its.event === "exit" && !launch.live(name))) continue;
      const place = launch.place(its.code);
      if (place[0] === file) marks.set(place[1], [...(marks.get(place[1]) || []), its.warp]);
    }
    for (const [of, warps] of marks) {
      const mark = shownFile.lines.get(of);
      if (mark) mark.at.textContent = warps.length > 3 ? `${warps.length} warps` : "w" + warps.sort((a, b) => a - b).join(",");
    }
    const here = shownFile.lines.get(line);
    if (here) {
      here.item.className = "here";
      here.item.setAttribute("aria-current", "step");
      const { offsetTop } = here.item, { scrollTop, clientHeight } = this.code;
      if (offsetTop < scrollTop || offsetTop > scrollTop + clientHeight - 24) this.code.scrollTop = offsetTop - clientHeight / 2;
    }
    const callers = launch.code[step.code][3].map(([, from]) => from).join(", ");
    this.ptx.replaceChildren("PTX: ", make("code", {}, launch.code[step.code][0]), callers ? ` (inlined at line ${callers})` : "");
  }

  buildWarps() {
    this.canvas = make("canvas", { role: "img", "aria-label": "Timeline: a row for each warp, from the first step to the last; the list below says the same of the current step" });
    this.canvas.addEventListener("click", event => this.go(Math.floor(event.offsetX / this.canvas.clientWidth * this.launch.steps.length)));
    this.states = make("ul", { class: "states", tabindex: "0", "aria-label": "Warps of the block at this step" });
    const key = { runs: "runs", memory: "accesses memory", diverged: "diverged", waits: "waits", exited: "has exited" };
    const items = Object.entries(key).map(([state, text]) => make("li", { style: `--own: var(${COLOURS[state]})` }, text));
    $("warps").append(this.canvas, make("ul", { class: "key" }, ...items), this.states,
      make("p", { class: "small" }, "Steps are in the order in which the machine ran them: it runs a warp until it waits, then the next. A GPU interleaves warps."));
  }

  // Draws the timeline once; the marker of the current step is drawn over it.
  draw() {
    const { launch, canvas } = this, row = Math.max(5, Math.min(14, Math.floor(320 / this.names.length)));
    const width = canvas.clientWidth || 300, height = Math.max(1, this.names.length) * row;
    [canvas.width, canvas.height] = [width, height];
    canvas.style.height = `${height}px`;
    const paint = canvas.getContext("2d", { willReadFrequently: true }), style = getComputedStyle(document.documentElement);
    const colour = Object.fromEntries(Object.entries(COLOURS).map(([state, name]) => [state, style.getPropertyValue(name)]));
    const rows = new Map(this.names.map((name, at) => [name, at]));
    const last = new Map(), count = launch.steps.length;
    const fill = (name, from, to, state) => {
      paint.fillStyle = colour[state];
      paint.fillRect(from / count * width, rows.get(name) * row + 1, Math.max(1, (to - from) / count * width), row - 2);
    };
    launch.steps.forEach((step, at) => {
      const name = launch.name(step), before = last.get(name);
      if (before && before.waits) fill(name, before.at + 1, at, "waits");
      const waits = ["wait", "lanes", "phase", "cluster", "retry"].includes(step.event);
      const whole = before ? Math.max(before.whole, lanesOf(step.mask).length) : lanesOf(step.mask).length;
      fill(name, at, at + 1, waits ? "waits" : step.access ? "memory" : lanesOf(step.mask).length < whole ? "diverged" : "runs");
      last.set(name, { at, waits, whole, exited: step.event === "exit" });
    });
    for (const [name, { at, waits, exited }] of last) fill(name, at + 1, count, exited ? "exited" : waits ? "waits" : "exited");
    this.timeline = paint.getImageData(0, 0, width, height);
    this.mark();
  }

  mark() {
    const paint = this.canvas.getContext("2d");
    paint.putImageData(this.timeline, 0, 0);
    paint.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--ink");
    paint.fillRect((this.launch.at + 0.5) / this.launch.steps.length * this.canvas.width - 1, 0, 2, this.canvas.height);
  }

  showWarps(step) {
    const { launch } = this;
    if (this.timeline) this.mark(); else this.draw();
    const items = this.names.filter(name => name.startsWith(`${step.block}:`)).map(name => {
      const known = launch.warps.get(name), its = known && launch.steps[known.step];
      const text = its ? `${launch.state(its)}, ${launch.placed(its.code)}` : "has not run yet";
      return make("li", { class: name === launch.name(step) ? "here" : null }, `${this.warpName(name)}: ${text}`);
    });
    this.states.replaceChildren(...items);
  }

  table(label, head, rows) {
    const titles = head.map(text => make("th", { scope: "col" }, text));
    return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
      make("table", {}, make("thead", {}, make("tr", {}, ...titles)), make("tbody", {}, ...rows)));
  }

  showLanes(step) {
    const { launch } = this, name = launch.name(step), lanes = [...Array(32).keys()];
    const known = [...launch.registers.values()].filter(register => register.name === name).sort((a, b) => b.last - a.last).slice(0, 16);
    const cell = (register, lane, bytes, isFloat) => {
      const active = step.mask >>> lane & 1, isNew = register.by[lane] === launch.at;
      return make("td", { class: "cell " + (isNew ? "new" : active ? "" : "off") }, shown(register.values[lane], bytes, isFloat));
    };
    const active = make("tr", {}, make("th", { scope: "row" }, "active"), ...lanes.map(lane => make("td", { class: "cell " + (step.mask >>> lane & 1 ? "new" : "off") }, step.mask >>> lane & 1 ? "●" : "–")));
    const rows = known.map(register => {
      const [title, bytes, isFloat] = launch.registerInfo[register.register];
      return make("tr", {}, make("th", { scope: "row" }, title), ...lanes.map(lane => cell(register, lane, bytes, isFloat)));
    });
    $("lanes").replaceChildren(
      make("p", { class: "small" }, `${this.warpName(name)}: threads ${step.warp * 32} to ${Math.min(launch.threads, step.warp * 32 + 32) - 1}; the registers that changed last come first`),
      this.table("Registers of the warp's lanes", ["lane", ...lanes.map(String)], [active, ...rows]));
  }

  // Says who wrote a cell last before a step, with a button that leads there.
  writer(cell) {
    if (!cell || cell.step === null) return make("span", {}, "before the recording");
    const step = this.launch.steps[cell.step];
    const text = `step ${cell.step + 1}: ${this.warpName(this.launch.name(step))}, lane ${cell.lane}, ${this.launch.placed(step.code)}`;
    return make("button", { class: "link", type: "button", onclick: () => this.go(cell.step) }, text);
  }

  showAccess(step) {
    const { launch } = this, { access } = step;
    if (!access) {
      $("access").replaceChildren(make("p", { class: "small" }, "This step accesses no memory."));
      return;
    }
    // The state before this step knows who wrote what is read or replaced here.
    const replaced = new Map(launch.undo[launch.at].filter(([map]) => map === launch.memory).reverse().map(([, key, old]) => [key, old]));
    const rows = [...launch.cells(step)].map(({ lane, address, value, bytes }) => {
      const key = launch.key(step, access.space, lane, address);
      const before = replaced.has(key) ? replaced.get(key) : launch.memory.get(key), now = launch.memory.get(key);
      return make("tr", {}, make("th", { scope: "row" }, String(lane)), make("td", {}, launch.address(access.space, address)),
        make("td", { class: "number" }, shown(value, bytes, now && now.isFloat)), make("td", {}, this.writer(before)));
    });
    const verb = { load: "reads", store: "writes", atomic: "updates" }[access.kind];
    $("access").replaceChildren(
      make("p", { class: "small" }, `Each lane ${verb} ${plural(access.bytes, "byte")} of ${access.space} memory. Written before by: how the value got there.`),
      this.table("The access of each lane", ["lane", "address", "value", "written before by"], rows));
  }

  showBanks(step) {
    const { launch } = this, prefix = `s${step.block}:`;
    if (!launch.sharedBytes) {
      $("banks").replaceChildren(make("p", { class: "small" }, "The kernel has no shared memory."));
      return;
    }
    const isHere = step.access && step.access.space === "shared";
    const words = new Map(); // Of each bank, the words that the access touches.
    if (isHere) {
      for (const lane of lanesOf(step.mask)) {
        for (let byte = 0; byte < step.access.bytes; byte += WORD) {
          const word = Math.floor((step.access.addresses[lane] + byte) / WORD);
          words.set(word % BANKS, (words.get(word % BANKS) || new Set()).add(word));
        }
      }
    }
    const ways = Math.max(0, ...[...words.values()].map(set => set.size));
    const touched = new Set([...words.values()].flatMap(set => [...set]));
    let summary = "This step does not access shared memory.";
    let verdict = "";
    if (isHere) {
      const { traffic, ideal } = step.access;
      verdict = traffic > ideal ? "bad" : "good";
      summary = traffic > ideal ? `Bank conflict: the request takes ${plural(traffic, "wavefront")} where ${ideal} would do; up to ${plural(ways, "word")} of one bank are accessed.` : `No bank conflict: ${plural(traffic, "wavefront")}.`;
    }
    const byRow = new Map();
    for (const [key, cell] of launch.memory) {
      if (!key.startsWith(prefix)) continue;
      const address = Number(key.slice(prefix.length)), word = Math.floor(address / WORD);
      const row = Math.floor(word / BANKS);
      if (!byRow.has(row)) byRow.set(row, new Map());
      byRow.get(row).set(word % BANKS, { address, ...cell });
    }
    for (const word of touched) if (!byRow.has(Math.floor(word / BANKS))) byRow.set(Math.floor(word / BANKS), new Map());
    // Rows of the access come first where there are too many.
    const hot = new Set([...touched].map(word => Math.floor(word / BANKS)));
    const chosen = [...byRow.keys()].sort((a, b) => hot.has(b) - hot.has(a) || a - b).slice(0, 40).sort((a, b) => a - b);
    const degree = bank => { const n = words.get(bank).size; return n >= 8 ? "ways8" : n >= 4 ? "ways4" : n >= 2 ? "ways2" : "ways1"; };
    const banks = [...Array(BANKS).keys()];
    const rows = chosen.map(row => make("tr", {}, make("th", { scope: "row" }, String(row * BANKS * WORD)), ...banks.map(bank => {
      const cell = byRow.get(row).get(bank), isTouched = touched.has(row * BANKS + bank);
      const isNew = cell && cell.step === launch.at;
      return make("td", { class: "cell " + (isTouched ? degree(bank) : isNew ? "new" : ""), title: cell ? `offset ${cell.address}, ${cell.step === null ? "not written in the recording" : `written at step ${cell.step + 1}`}` : null }, cell ? shown(cell.value, cell.bytes, cell.isFloat) : "");
    })));
    const counts = make("tr", {}, make("th", { scope: "row" }, "ways"), ...banks.map(bank => make("td", { class: "cell " + (words.has(bank) ? degree(bank) : "") }, words.has(bank) ? String(words.get(bank).size) : "")));
    $("banks").replaceChildren(make("p", { class: verdict }, summary),
      this.table("Words of shared memory, by bank", ["offset", ...banks.map(String)], isHere ? [counts, ...rows] : rows),
      make("p", { class: "small" }, byRow.size > chosen.length ? `${chosen.length} of ${byRow.size} rows are shown.` : "Each row has 32 words, one of each bank."));
  }

  showSectors(step) {
    const { launch } = this, { access } = step;
    if (!access || access.space !== "global") {
      $("sectors").replaceChildren(make("p", { class: "small" }, "This step does not access global memory."));
      return;
    }
    const sectors = new Map();
    for (const lane of lanesOf(step.mask)) {
      const first = Number(access.addresses[lane]);
      for (let at = Math.floor(first / SECTOR); at * SECTOR < first + access.bytes; at++) sectors.set(at, (sectors.get(at) || new Set()).add(lane));
    }
    const traffic = access.traffic || sectors.size, ideal = access.ideal || sectors.size;
    const boxes = [...sectors].sort((a, b) => a[0] - b[0]).map(([sector, lanes]) => {
      const all = [...lanes], range = all.length > 2 && all[all.length - 1] - all[0] === all.length - 1 ? `${all[0]}–${all[all.length - 1]}` : all.join(",");
      return make("li", {}, `${launch.address("global", sector * SECTOR)}: ${all.length > 1 ? "lanes" : "lane"} ${range}`);
    });
    const good = traffic <= ideal;
    $("sectors").replaceChildren(
      make("p", { class: good ? "good" : "bad" }, good ? `Coalesced: ${plural(traffic, "sector")} of 32 bytes, as few as possible.` : `Not coalesced: ${plural(traffic, "sector")} of 32 bytes, where ${ideal} would do.`),
      make("ul", { class: "boxes" }, ...boxes));
  }
}

unpack($("data").textContent).then(data => {
  data.launch.registerInfo = data.launch.registers;
  const launch = new Launch(data);
  if (launch.steps.length === 0) $("said").textContent = "The recording has no steps.";
  else window.shownLaunch = new Page(launch);
}, error => { $("said").textContent = `This browser cannot unpack the page's data: ${error.message}`; });
