'use strict';

/** The values of an installation: which there are, what each has to look like, and what is missing. */
const { readFileSync } = require('node:fs');
const { isIP } = require('node:net');
const { parse } = require('yaml');

const label = '[a-z0-9]([a-z0-9-]*[a-z0-9])?';
const hostPattern = `${label}(\\.${label})*`;
const matches = (pattern, reason) => (value) =>
  typeof value === 'string' && new RegExp(`^(${pattern})$`).test(value) ? null : reason;
const oneOf =
  (...words) =>
  (value) =>
    words.includes(value) ? null : `must be ${words.join(' or ')}`;
const optional = (form) => (value) => (value === null || value === undefined ? null : form(value));
const listOf = (form) => (value) =>
  Array.isArray(value) && value.length > 0
    ? (value.map((one) => form(one)).find((reason) => reason !== null) ?? null)
    : 'must be a list';
const bool = oneOf(true, false);
const host = matches(hostPattern, 'must be a host name');
const name = matches(label, 'must be a name of Kubernetes');
const url = matches(`https?://${hostPattern}(:\\d+)?(/.*)?`, 'must be an http or https address');
const address = matches(`${hostPattern}:\\d+`, 'must be host:port');
const file = matches('.+', 'must be the path of a PEM file');

function network(value) {
  const [ip, bits, ...more] = String(value).split('/');
  const bitsMax = { 0: -1, 4: 32, 6: 128 }[isIP(ip)];
  const isNetwork = more.length === 0 && /^\d+$/.test(bits ?? '') && Number(bits) <= bitsMax;
  return isNetwork ? null : 'must be a network such as 10.1.0.0/16';
}

function ports(value) {
  return /^\d+(-\d+)?$/.test(String(value)) ? null : 'must be a port or a range such as 1024-65535';
}

function mongodbUri(value) {
  const isUri = typeof value === 'string' && /^mongodb(\+srv)?:\/\//.test(value);
  return isUri && value.includes('{user}') && value.includes('{password}')
    ? null
    : 'must be a connection string with {user} and {password}';
}

const isSecured = ({ backends_secured: secured }) => secured === true;
const hasOperator = ({ observability }) => observability?.prometheus_operator === true;

/** By path; one that is not in use with the other values is not required. */
const forms = {
  public_host: { form: host },
  events_host: { form: optional(host) },
  'images.registry': { form: matches('\\S+', 'must be a registry') },
  'images.tag': { form: matches('[\\w.-]+', 'must be a tag, in quotes where it is a number') },
  platform_url: { form: url },
  'proxies.kind': { form: oneOf('gateway-api', 'ingress') },
  'proxies.class': { form: name },
  'proxies.namespace': { form: name },
  'proxies.networks': { form: listOf(network) },
  backends_secured: { form: bool },
  'kafka.brokers': { form: listOf(address) },
  'kafka.networks': { form: listOf(network) },
  'kafka.ports': { form: listOf(ports) },
  'kafka.ca_file': { form: optional(file), isUsed: isSecured },
  'kafka.topic_prefix': {
    form: optional(matches('[\\w.-]*', 'must be letters, digits, ., _ or -')),
  },
  'kafka.topics_job_grants_rights': { form: bool, isUsed: isSecured },
  'mongodb.uri': { form: mongodbUri },
  'mongodb.networks': { form: listOf(network) },
  'mongodb.ports': { form: listOf(ports) },
  'mongodb.ca_file': { form: optional(file), isUsed: isSecured },
  'scaling.gateway': { form: oneOf('cpu', 'streams') },
  'scaling.collector': { form: oneOf('keda', 'hpa') },
  'scaling.prometheus_url': { form: url, isUsed: ({ scaling }) => scaling?.collector === 'keda' },
  'observability.namespace': { form: name },
  'observability.otlp_endpoint': { form: optional(url) },
  'observability.prometheus_operator': { form: bool },
  'observability.blackbox': { form: address, isUsed: hasOperator },
  'observability.runbooks': {
    form: matches('[^/:\\s]+(:\\d+)?(/\\S*)?', 'must be host/path'),
    isUsed: hasOperator,
  },
  sandbox: { form: optional(bool) },
  settings: {
    form: optional((value) => (typeof value === 'object' ? null : 'must be by service')),
  },
};

const at = (values, path) => path.split('.').reduce((value, key) => value?.[key], values);
const paths = Object.keys(forms);

/** Paths that no form has. */
function unknownPaths(values, before = '') {
  return Object.entries(values).flatMap(([key, value]) => {
    const path = before + key;
    if (path in forms) return [];
    const isGroup = paths.some((one) => one.startsWith(`${path}.`));
    return isGroup && value !== null && typeof value === 'object'
      ? unknownPaths(value, `${path}.`)
      : [path];
  });
}

/** What is missing, malformed or contradictory, a line each. */
function findProblems(values) {
  const ofForms = paths.flatMap((path) => {
    const { form, isUsed = () => true } = forms[path];
    if (!isUsed(values)) return [];
    const value = at(values, path);
    const reason = form(value);
    if (reason === null) return [];
    return [`${path}: ${value === undefined || value === null ? 'is missing' : reason}`];
  });
  const unknown = unknownPaths(values).map((path) => `${path}: there is no such value`);
  if (ofForms.length > 0) return [...ofForms, ...unknown];
  return [...unknown, ...contradictions(values)];
}

function contradictions({ proxies, events_host: eventsHost, kafka }) {
  const closed = kafka.brokers
    .map((broker) => Number(broker.split(':')[1]))
    .filter(
      (port) => !kafka.ports.map(portRange).some(([low, high]) => low <= port && port <= high),
    );
  return [
    ...(eventsHost && proxies.kind !== 'gateway-api'
      ? ['events_host: needs proxies.kind gateway-api']
      : []),
    ...closed.map((port) => `kafka.ports: have no ${port}, which is a broker's`),
  ];
}

/** The first and the last port. */
function portRange(given) {
  const [low, high = low] = String(given).split('-').map(Number);
  return [low, high];
}

const placeholder = /(^|[^a-z0-9])example([^a-z0-9]|$)|\b192\.0\.2\.\d+/;

/** Values that are still those of the example. */
function findPlaceholders(values) {
  return paths.filter((path) => {
    const { isUsed = () => true } = forms[path];
    return isUsed(values) && placeholder.test(JSON.stringify(at(values, path) ?? null));
  });
}

/** A YAML file of values, without a problem. */
function readValues(path) {
  const values = parse(readFileSync(path, 'utf8'));
  const problems = findProblems(values ?? {});
  if (problems.length > 0) throw new Error(`${path}:\n  ${problems.join('\n  ')}`);
  return values;
}

module.exports = { findPlaceholders, findProblems, portRange, readValues };
