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

function made(name, attributes, text = '') {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  element.textContent = text;
  return element;
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

/** Bars are of { kind, from, to }, in the unit of the axis. */
function createChart(id, { tops, label, barsOf, valueOf, nothing }) {
  const slider = element(id);
  const svg = slider.querySelector('svg');
  let quarters = [];
  let chosenStart = null;

  const width = () => Math.max(240, slider.clientWidth);
  const column = () => (width() - margin.left - margin.right) / columnsADay;
  const xOf = (at) => margin.left + at * column();
  const chosen = () => quarters.findIndex(({ start }) => start === chosenStart);

  function drawAxes(top) {
    const y = (value) => margin.top + plotHeight - (value / top) * plotHeight;
    for (const value of top > 1 ? [0, top / 2, top] : [0, top]) {
      svg.append(made('line', { class: 'rule', x1: margin.left, x2: xOf(columnsADay), y1: y(value), y2: y(value) }));
      svg.append(made('text', { x: margin.left - 6, y: y(value) + 4, 'text-anchor': 'end' }, label(value)));
    }
    const everyHours = width() > 900 ? 2 : width() > 560 ? 3 : 6;
    quarters.forEach(({ start }, at) => {
      const date = new Date(start);
      if (date.getMinutes() !== 0 || date.getHours() % everyHours !== 0) return;
      const x = xOf(at);
      svg.append(made('line', { class: 'tick', x1: x, x2: x, y1: height - margin.bottom, y2: height - margin.bottom + 5 }));
      if (x > width() - 24) return;
      const text = date.getHours() === 0 ? dayOf(start) : hourOf(start);
      svg.append(made('text', { x, y: height - 6, 'text-anchor': 'middle' }, text));
    });
    return y;
  }

  function drawUnmeasured() {
    const hatch = made('pattern', { id: id + '-hatch', width: 6, height: 6, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' });
    hatch.append(made('rect', { class: 'hatch', width: 2, height: 6 }));
    svg.append(hatch);
    for (const { from, count } of unmeasuredRuns(quarters)) {
      const size = count * column();
      svg.append(made('rect', { class: 'unmeasured', x: xOf(from), y: margin.top, width: size, height: plotHeight, fill: 'url(#' + id + '-hatch)' }));
      if (size > 110) note(xOf(from) + size / 2, 'not measured');
    }
  }

  function note(x, text) {
    svg.append(made('text', { class: 'note', x, y: margin.top + plotHeight / 2, 'text-anchor': 'middle' }, text));
  }

  function draw() {
    svg.replaceChildren();
    svg.setAttribute('viewBox', '0 0 ' + width() + ' ' + height);
    const bars = quarters.map(barsOf);
    const most = Math.max(0, ...bars.flat().map(({ to }) => to));
    const y = drawAxes(tops.find((top) => top >= most) ?? most);
    drawUnmeasured();
    const at = chosen();
    if (at >= 0) svg.append(made('rect', { class: 'chosen', x: xOf(at), y: margin.top, width: column(), height: plotHeight }));
    const barWidth = Math.max(1, column() - (column() > 4 ? 1.5 : 0.5));
    quarters.forEach((quarter, at) => {
      if (isMeasured(quarter) && bars[at].length === 0) {
        svg.append(made('rect', { class: 'none', x: xOf(at), y: y(0) - 2, width: barWidth, height: 2 }));
      }
      for (const { kind, from, to } of bars[at]) {
        const size = Math.max(2, y(from) - y(to));
        svg.append(made('rect', { class: kind, x: xOf(at), y: y(from) - size, width: barWidth, height: size }));
      }
    });
    if (most === 0 && quarters.every(isMeasured)) note(margin.left + (width() - margin.left) / 2, nothing);
    speak(at);
  }

  /** Of the chosen one; for a screen reader of the latest, where none is. */
  function speak(at) {
    const shown = quarters[at < 0 ? quarters.length - 1 : at];
    if (!shown) return;
    const startMs = Date.parse(shown.start);
    const isLast = shown === quarters.at(-1);
    const text = dayOf(startMs) + ', ' + hourOf(startMs) + ' to ' + hourOf(startMs + quarterMs) +
      (isLast ? ' (so far): ' : ': ') + (isMeasured(shown) ? valueOf(shown) : 'not measured');
    slider.setAttribute('aria-valuemax', quarters.length - 1);
    slider.setAttribute('aria-valuenow', quarters.indexOf(shown));
    slider.setAttribute('aria-valuetext', text);
    say(id + '-value', at < 0 ? hint : text);
  }

  function choose(at) {
    const inside = Math.min(quarters.length - 1, Math.max(0, at));
    chosenStart = quarters[inside]?.start ?? null;
    draw();
  }

  function release() {
    if (document.activeElement === slider) return;
    chosenStart = null;
    draw();
  }

  const pointed = (event) => choose(Math.floor((event.clientX - svg.getBoundingClientRect().left - margin.left) / column()));
  slider.addEventListener('pointermove', pointed);
  slider.addEventListener('pointerdown', pointed);
  slider.addEventListener('pointerleave', release);
  slider.addEventListener('focus', () => { if (chosen() < 0) choose(quarters.length - 1); });
  slider.addEventListener('blur', release);
  slider.addEventListener('keydown', (event) => {
    const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -4, PageUp: 4, Home: -columnsADay, End: columnsADay };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    choose(chosen() + step);
  });
  new ResizeObserver(draw).observe(slider);
  return { show(given) { quarters = given; draw(); } };
}
`;
