/**
 * Reads the status every five seconds and draws it. What it shows of a response is text and
 * lengths, never markup. Without a response it says so, and returns by itself.
 */
export const statusScript = `'use strict';
const everyMs = 5000;
const element = (id) => document.getElementById(id);
const say = (id, text) => { element(id).textContent = text; };
const reasons = {
  global_outstanding_closed: 'too many are waiting',
  platform_unavailable: 'the platform is not serving',
  operator_closed: 'closed by the operator',
};

function made(name, attributes, text) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  element.textContent = text;
  return element;
}

function bar(svg, column, from, height, kind, title) {
  const rect = made('rect', { x: column * 10, y: 140 - from - height, width: 8, height, class: kind }, '');
  rect.append(made('title', {}, title));
  svg.append(rect);
}

function scale(svg, most, unit) {
  svg.replaceChildren(made('text', { x: 0, y: 14 }, most === 0 ? 'none in 24 hours' : 'most: ' + most + unit));
}

function drawEnds(quarters) {
  const svg = element('ends');
  const most = Math.max(0, ...quarters.map(({ completed, failed }) => completed + failed));
  scale(svg, most, '');
  quarters.forEach(({ start, completed, failed }, column) => {
    const title = start + ': ' + completed + ' completed, ' + failed + ' failed';
    const height = (count) => (most === 0 ? 0 : (count / most) * 120);
    bar(svg, column, 0, height(completed), 'completed', title);
    bar(svg, column, height(completed), height(failed), 'failed', title);
  });
}

function drawWaits(quarters) {
  const svg = element('waits');
  const most = Math.max(0, ...quarters.map((quarter) => quarter.wait_p95_seconds ?? 0));
  scale(svg, most, ' s');
  quarters.forEach(({ start, wait_p50_seconds: p50, wait_p95_seconds: p95 }, column) => {
    if (p50 === null || p95 === null) return;
    const title = start + ': half within ' + p50 + ' s, 95 of 100 within ' + p95 + ' s';
    bar(svg, column, 0, (p95 / most) * 120, 'p95', title);
    bar(svg, column, 0, (p50 / most) * 120, 'p50', title);
  });
}

function show(status) {
  const { at, admission, expected_wait_seconds: wait, circuit_breakers: breakers } = status;
  const isOpen = admission.state === 'open';
  const isGood = isOpen && breakers.length === 0;
  const poor = isOpen ? 'Some applications are not served.' : 'No refreshes are admitted.';
  element('state').className = isGood ? 'good' : 'poor';
  say('state', isGood ? 'Everything works.' : poor);
  say('admission', isOpen ? 'admitted' : 'not admitted: ' + (reasons[admission.reason] ?? admission.reason));
  say('wait', wait === null ? 'no estimate at the moment' : wait + ' s');
  const names = breakers.map((one) => one.app_id + ' (' + one.state + ', until ' + one.open_until + ')');
  say('breakers', names.join(', ') || 'none');
  drawEnds(status.quarter_hours);
  drawWaits(status.quarter_hours);
  say('at', 'As of ' + at + '. Waits are rounded up. Of all customers together.');
}

async function read() {
  try {
    const response = await fetch('/v2/status');
    if (!response.ok) throw new Error(String(response.status));
    show((await response.json()).data);
  } catch {
    element('state').className = 'unknown';
    say('state', 'The status cannot be read at the moment. It is tried again every five seconds.');
    for (const id of ['admission', 'wait', 'breakers']) say(id, 'unknown');
  }
  setTimeout(read, everyMs);
}

read();
`;
