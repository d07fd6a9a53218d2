'use strict';

/** No time limit of a manifest is below the setting that it serves. */
const { readFileSync } = require('node:fs');
const { join, resolve } = require('node:path');
const { ofKind, productPods } = require('./pods.js');

const root = resolve(__dirname, '../..');
/** How long a service waits for its topics. */
const topicsSeconds = 90;
/** What else its start takes. */
const startSeconds = 20;
/** The most that a page has (UNDELIVERED_BYTES_MAX in docs/generated/settings.md). */
const pageBytesMax = 16 * 2 ** 20;
const streamPath = '/v2/projects/prj_1/events/stream';
const exportPath = '/v2/platform/users/1/inventory/1/2/current/export';
const pagePath = '/v2/platform/users/1/inventory/1/2/current';

/** Defaults of the settings that are numbers. */
function readDefaults() {
  const page = readFileSync(join(root, 'docs/generated/settings.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([A-Z_0-9]+)` \| `(\d+)`/gm)];
  return Object.fromEntries(rows.map(([, name, value]) => [name, value]));
}

function checkTimeouts(resources, defaults = readDefaults()) {
  const pods = productPods(resources).filter(({ isServing }) => isServing);
  return [
    ...pods.flatMap((pod) => lifecycleOf(pod, defaults)),
    ...frontOf(resources, servedMs(pods, defaults)),
  ];
}

/** The stop of a pod, and the start of its program. */
function lifecycleOf({ id, graceSeconds, containers: [container] }, defaults) {
  const { lifecycle, startupProbe, settings } = container;
  const { STOP_DEADLINE_MS: stopMs } = { ...defaults, ...settings };
  const neededSeconds = lifecycle.preStop.sleep.seconds + Number(stopMs) / 1_000;
  const { periodSeconds, failureThreshold } = startupProbe;
  const problems = [];
  if (graceSeconds <= neededSeconds) problems.push(`${id} is killed before STOP_DEADLINE_MS`);
  if (graceSeconds > neededSeconds + 10) problems.push(`${id} has more grace than it needs`);
  if (periodSeconds * failureThreshold <= topicsSeconds + startSeconds)
    problems.push(`${id} is killed while it waits for its topics`);
  return problems;
}

/** How long a response may take, by a path of its kind. */
function servedMs(pods, defaults) {
  const gateways = pods.map(({ containers: [{ settings }] }) => ({ ...defaults, ...settings }));
  const most = (of) => Math.max(...gateways.map((settings) => Number(of(settings))));
  return {
    [streamPath]: most(({ STREAM_LIFE_MAX_MS: ms }) => ms),
    [exportPath]: most(({ EXPORT_TIME_MAX_MS: ms }) => ms),
    [pagePath]: most(
      ({ PAGE_DELIVERY_DEADLINE_MS: ms, DELIVERY_BYTES_PER_SECOND_MIN: pace }) =>
        Number(ms) + (1_000 * pageBytesMax) / Number(pace),
    ),
  };
}

function frontOf(resources, served) {
  const problems = [];
  for (const { metadata, spec } of ofKind(resources, 'HTTPRoute'))
    for (const [path, ms] of Object.entries(served)) {
      const rule = spec.rules.find(({ matches }) => matches.some((match) => covers(match, path)));
      for (const [name, limit] of Object.entries(rule?.timeouts ?? {}))
        if (secondsOf(limit) > 0 && 1_000 * secondsOf(limit) <= ms)
          problems.push(`HTTPRoute ${metadata.name} cuts ${path} at ${limit} (${name})`);
    }
  for (const { metadata } of ofKind(resources, 'Ingress'))
    for (const side of ['read', 'send']) {
      const seconds = metadata.annotations[`nginx.ingress.kubernetes.io/proxy-${side}-timeout`];
      if (1_000 * Number(seconds) <= Math.max(...Object.values(served)))
        problems.push(`Ingress ${metadata.name} cuts at ${seconds} s (${side})`);
    }
  return problems;
}

const covers = ({ path: { type, value } }, path) =>
  type === 'PathPrefix' ? path.startsWith(value) : new RegExp(`^${value}$`).test(path);

/** 0 is no limit. */
function secondsOf(limit) {
  const [, amount, unit] = /^(\d+)(s|m)$/.exec(limit) ?? [];
  if (amount === undefined) throw new Error(`the duration ${limit} is not known here`);
  return Number(amount) * (unit === 'm' ? 60 : 1);
}

module.exports = { checkTimeouts };
