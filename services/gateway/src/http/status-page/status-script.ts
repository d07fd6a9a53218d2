import { statusCharts } from './status-charts.ts';

/**
 * Reads the status every five seconds and draws it. Without a response it says so, keeps what it
 * knows with its time, and returns by itself.
 */
export const statusScript = `'use strict';
const everyMs = 5000;
const responseMs = 10000;
const element = (id) => document.getElementById(id);
/** The same text again is no change: screen readers read changes. */
const say = (id, text) => { if (element(id).textContent !== text) element(id).textContent = text; };
const counted = (count) => count.toLocaleString('en-GB');
const reasons = {
  global_outstanding_closed: 'too many are waiting',
  platform_unavailable: 'the platform is not serving',
  operator_closed: 'closed by the operator',
};
let knownAt = null;
${statusCharts}
const inSeconds = (seconds) => (seconds < 120 ? seconds + ' s' : Math.round(seconds / 6) / 10 + ' min');

const ends = createChart('ends', {
  tops: [1, ...[1, 10, 100, 1e3, 1e4, 1e5, 1e6].flatMap((ten) => [2 * ten, 4 * ten, 6 * ten, 10 * ten])],
  label: counted,
  barsOf: ({ completed, failed }) => [
    { kind: 'completed', from: 0, to: completed },
    { kind: 'failed', from: completed, to: completed + failed },
  ].filter(({ from, to }) => to > from),
  valueOf: ({ completed, failed }) => completed + failed === 0
    ? 'no refresh ended'
    : counted(completed) + ' completed, ' + counted(failed) + ' failed',
  nothing: 'No refresh ended in these 24 hours.',
});

const waits = createChart('waits', {
  tops: [4, 10, 20, 40, 60, 120, 240, 600, 1200, 2400, 3600, 7200],
  label: inSeconds,
  barsOf: ({ wait_p50_seconds: p50, wait_p95_seconds: p95 }) => p50 === null || p95 === null ? [] : [
    { kind: 'p95', from: 0, to: p95 },
    { kind: 'p50', from: 0, to: p50 },
  ],
  valueOf: ({ wait_p50_seconds: p50, wait_p95_seconds: p95 }) => p50 === null || p95 === null
    ? 'no refresh completed'
    : 'half within ' + inSeconds(p50) + ', 95 of 100 within ' + inSeconds(p95),
  nothing: 'No refresh completed in these 24 hours.',
});

function show({ at, admission, expected_wait_seconds: wait, circuit_breakers: breakers, quarter_hours: quarters }) {
  const isOpen = admission.state === 'open';
  const isGood = isOpen && breakers.length === 0;
  const poor = isOpen ? 'Some applications are not served.' : 'No refreshes are admitted.';
  element('state').className = isGood ? 'notice good' : 'notice warn';
  say('state', isGood ? 'Everything works.' : poor);
  say('admission', isOpen ? 'admitted' : 'not admitted: ' + (reasons[admission.reason] ?? admission.reason));
  say('wait', wait === null ? 'no estimate' : inSeconds(wait));
  const names = breakers.map((one) => one.app_id + ' (tried again at ' + hourOf(one.open_until) + ')');
  say('breakers', names.join(', ') || 'all');
  say('breakers-name', names.length === 0 ? 'Applications served' : 'Applications not served');
  const sum = (name) => counted(quarters.reduce((total, quarter) => total + quarter[name], 0));
  const measured = quarters.filter(isMeasured).length;
  const part = measured < 8 ? measured * 15 + ' measured minutes' : measured / 4 + ' measured hours';
  const time = measured === quarters.length ? '24 hours' : part;
  say('ends-sum', sum('completed') + ' completed and ' + sum('failed') + ' failed in ' + time + '.');
  ends.show(quarters);
  waits.show(quarters);
  knownAt = hourOf(at);
  say('at', 'As of ' + knownAt + ', in the time zone of this browser. Read again every five seconds.');
}

async function read() {
  try {
    const response = await fetch('/v2/status', { signal: AbortSignal.timeout(responseMs) });
    if (!response.ok) throw new Error(String(response.status));
    show((await response.json()).data);
  } catch {
    element('state').className = 'notice bad';
    const known = knownAt === null ? '' : ' The charts are as of ' + knownAt + '.';
    say('state', 'The status cannot be read at the moment. It is tried again every five seconds.' + known);
    for (const id of ['admission', 'wait', 'breakers']) say(id, 'unknown');
  }
  setTimeout(read, everyMs);
}

read();
`;
