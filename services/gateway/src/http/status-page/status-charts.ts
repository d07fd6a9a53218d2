/**
 * Charts of quarter hours: an axis of hours, one of counts or times, and the value of the quarter hour
 * that is pointed at, or chosen with the arrow keys. Each is a slider, so that a screen reader reads
 * the value. What they show of a response is text and lengths, never markup.
 */
export const statusCharts = `
const quarterMs = 900000;
const columnsADay = 97;
const height = 190;
const margin = { left: 52, right: 14, top: 10, bottom: 26 };
const plotHeight = height - margin.top - margin.bottom;
const hint = 'Point at a quarter hour, or use the arrow keys, to read its values.';
const hourOf = (ms) => new Date(ms).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
const dayOf = (ms) => new Date(ms).toLocaleDateString('en-GB', { weekday: 'short', day: 'numeric' });
const isMeasured = ({ measured }) => measured !== false;

/** Adds a shape or a text. */
function add(svg, name, attributes, text = '') {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  element.textContent = text;
  svg.append(element);
  return element;
}

/** In the middle of the height, over what is there. */
function addNote(svg, x, text) {
  add(svg, 'text', { class: 'note', x, y: margin.top + plotHeight / 2, 'text-anchor': 'middle' }, text);
}

/** Where things are across, at the present width. */
function layoutOf(slider) {
  const width = Math.max(240, slider.clientWidth);
  const column = (width - margin.left - margin.right) / columnsADay;
  return { width, column, xOf: (at) => margin.left + at * column };
}

function drawValues(svg, { xOf }, { values, y, label }) {
  for (const value of values) {
    add(svg, 'line', { class: 'rule', x1: margin.left, x2: xOf(columnsADay), y1: y(value), y2: y(value) });
    add(svg, 'text', { x: margin.left - 6, y: y(value) + 4, 'text-anchor': 'end' }, label(value));
  }
}

function drawHours(svg, { width, xOf }, quarters) {
  const everyHours = width > 900 ? 2 : width > 560 ? 3 : 6;
  const y = height - margin.bottom;
  quarters.forEach(({ start }, at) => {
    const date = new Date(start);
    if (date.getMinutes() !== 0 || date.getHours() % everyHours !== 0) return;
    const x = xOf(at);
    add(svg, 'line', { class: 'tick', x1: x, x2: x, y1: y, y2: y + 5 });
    const text = date.getHours() === 0 ? dayOf(start) : hourOf(start);
    if (x <= width - 24) add(svg, 'text', { x, y: height - 6, 'text-anchor': 'middle' }, text);
  });
}

/** Quarter hours in a row that were not measured: from, and how many. */
function unmeasuredRuns(quarters) {
  const runs = [];
  quarters.forEach((quarter, at) => {
    if (isMeasured(quarter)) return;
    const last = runs.at(-1);
    if (last && last.from + last.count === at) last.count += 1;
    else runs.push({ from: at, count: 1 });
  });
  return runs;
}

function drawUnmeasured(svg, { column, xOf }, quarters, id) {
  const hatch = add(svg, 'pattern', { id, width: 6, height: 6, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' });
  add(hatch, 'rect', { class: 'hatch', width: 2, height: 6 });
  for (const { from, count } of unmeasuredRuns(quarters)) {
    const width = count * column;
    add(svg, 'rect', { class: 'unmeasured', x: xOf(from), y: margin.top, width, height: plotHeight, fill: 'url(#' + id + ')' });
    if (width > 110) addNote(svg, xOf(from) + width / 2, 'not measured');
  }
}

/** Of each quarter hour its bars, or a line where it has none. */
function drawBars(svg, { column, xOf }, { quarters, bars, y }) {
  const width = Math.max(1, column - (column > 4 ? 1.5 : 0.5));
  quarters.forEach((quarter, at) => {
    if (isMeasured(quarter) && bars[at].length === 0) {
      add(svg, 'rect', { class: 'none', x: xOf(at), y: y(0) - 2, width, height: 2 });
    }
    for (const { kind, from, to } of bars[at]) {
      const size = Math.max(2, y(from) - y(to));
      add(svg, 'rect', { class: kind, x: xOf(at), y: y(from) - size, width, height: size });
    }
  });
}

function textOf(quarter, isLast, valueOf) {
  const startMs = Date.parse(quarter.start);
  const time = dayOf(startMs) + ', ' + hourOf(startMs) + ' to ' + hourOf(startMs + quarterMs);
  return time + (isLast ? ' (so far): ' : ': ') + (isMeasured(quarter) ? valueOf(quarter) : 'not measured');
}

/** Calls choose with the index of a quarter hour, and release when none is pointed at. */
function listen(slider, { chosen, choose, release }) {
  const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -4, PageUp: 4, Home: -columnsADay, End: columnsADay };
  const point = ({ clientX }) => {
    const { column } = layoutOf(slider);
    choose(Math.floor((clientX - slider.getBoundingClientRect().left - margin.left) / column));
  };
  slider.addEventListener('pointermove', point);
  slider.addEventListener('pointerdown', point);
  slider.addEventListener('pointerleave', release);
  slider.addEventListener('focus', () => { if (chosen() < 0) choose(columnsADay); });
  slider.addEventListener('blur', release);
  slider.addEventListener('keydown', (event) => {
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    choose(chosen() + step);
  });
}

/** The bars of a quarter hour are { kind, from, to }, in the unit of the axis. */
function createChart(id, { tops, label, barsOf, valueOf, nothing }) {
  const slider = element(id);
  const svg = slider.querySelector('svg');
  let quarters = [];
  let chosenStart = null;
  const chosen = () => quarters.findIndex(({ start }) => start === chosenStart);

  function draw() {
    const layout = layoutOf(slider);
    const { width, column, xOf } = layout;
    svg.replaceChildren();
    svg.setAttribute('viewBox', '0 0 ' + width + ' ' + height);
    const bars = quarters.map(barsOf);
    const most = Math.max(0, ...bars.flat().map(({ to }) => to));
    const top = tops.find((one) => one >= most) ?? most;
    const y = (value) => margin.top + plotHeight * (1 - value / top);
    drawValues(svg, layout, { values: top > 1 ? [0, top / 2, top] : [0, top], y, label });
    drawHours(svg, layout, quarters);
    drawUnmeasured(svg, layout, quarters, id + '-hatch');
    const at = chosen();
    if (at >= 0) add(svg, 'rect', { class: 'chosen', x: xOf(at), y: margin.top, width: column, height: plotHeight });
    drawBars(svg, layout, { quarters, bars, y });
    if (most === 0 && quarters.every(isMeasured)) addNote(svg, (margin.left + width) / 2, nothing);
    if (quarters.length > 0) describe(at);
  }

  /** A slider has a value: the latest quarter hour where none is chosen. */
  function describe(at) {
    const last = quarters.length - 1;
    const now = at < 0 ? last : at;
    const text = textOf(quarters[now], now === last, valueOf);
    slider.setAttribute('aria-valuemax', last);
    slider.setAttribute('aria-valuenow', now);
    slider.setAttribute('aria-valuetext', text);
    say(id + '-value', at < 0 ? hint : text);
  }

  listen(slider, {
    chosen,
    choose(at) {
      const inside = Math.min(quarters.length - 1, Math.max(0, at));
      chosenStart = quarters[inside]?.start ?? null;
      draw();
    },
    release() {
      if (document.activeElement === slider) return;
      chosenStart = null;
      draw();
    },
  });
  new ResizeObserver(draw).observe(slider);
  return { show(given) { quarters = given; draw(); } };
}
`;
