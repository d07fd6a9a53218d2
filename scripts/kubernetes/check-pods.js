'use strict';

/** Each pod is reached by what it needs: network policies on both sides, a monitor, a budget, an autoscaler. */
const { nameLabel, ofKind, productPods, selects, servedBy } = require('./pods.js');

/** The one call of a gateway that serves the event stream alone. */
const callsOfEvents = ['EVENT_STREAM_URL'];
const podsOfOperators = { [nameLabel]: 'operator' };

function checkPods(resources) {
  const pods = productPods(resources);
  const policies = ofKind(resources, 'NetworkPolicy').map(({ metadata, spec }) => ({
    name: metadata.name,
    ...spec,
  }));
  const serving = pods.filter(({ isServing }) => isServing);
  return [
    ...deniedByDefault(policies),
    ...pods.flatMap((pod) => backendsOf(pod, policies)),
    ...pods.flatMap((pod) => observationOf(pod, policies)),
    ...serving.flatMap((pod) => callsOf(resources, pod, { pods, policies })),
    ...frontOf(resources, { pods: serving, policies }),
    ...idlePolicies(policies, resources),
    ...serving.flatMap((pod) => selectorsOf(resources, pod)),
  ];
}

function deniedByDefault(policies) {
  const denies = policies.some(
    ({ podSelector, ingress, egress, policyTypes }) =>
      Object.keys(podSelector).length === 0 && !ingress && !egress && policyTypes.length === 2,
  );
  return denies ? [] : ['no policy denies by default'];
}

/** Whether a policy of the pod has a rule of this side with a peer and the port. */
function allows(policies, { labels }, side, { peer, port }) {
  const peersKey = side === 'ingress' ? 'from' : 'to';
  return policies
    .filter(({ podSelector }) => selects(podSelector, labels))
    .flatMap((policy) => policy[side] ?? [])
    .some((rule) => (rule[peersKey] ?? []).some(peer) && (rule.ports ?? []).some(has(port)));
}

const has =
  (wanted) =>
  ({ port, endPort = port }) =>
    port <= wanted && wanted <= endPort;
/** A pod of this namespace. */
const isPod =
  (labels) =>
  ({ podSelector, namespaceSelector }) =>
    podSelector !== undefined && !namespaceSelector && selects(podSelector, labels);
const isNamespace = ({ namespaceSelector, podSelector }) =>
  namespaceSelector !== undefined && !podSelector;
/** Kafka and MongoDB are networks, or pods of a local cluster. */
const isBackend = ({ ipBlock, podSelector }) =>
  ipBlock !== undefined || /^(kafka|mongodb)$/.test(podSelector?.matchLabels?.[nameLabel] ?? '');

function backendsOf(pod, policies) {
  const problems = [];
  for (const { settings } of pod.containers) {
    const ports = brokerPorts(settings);
    if (settings.MONGODB_DATABASE !== undefined) ports.push(27_017);
    for (const port of ports)
      if (!allows(policies, pod, 'egress', { peer: isBackend, port }))
        problems.push(`${pod.id} reaches no backend at ${port}`);
  }
  const isDns = ({ namespaceSelector }) =>
    namespaceSelector?.matchLabels['kubernetes.io/metadata.name'] === 'kube-system';
  if (!allows(policies, pod, 'egress', { peer: isDns, port: 53 }))
    problems.push(`${pod.id} resolves no name`);
  return [...new Set(problems)];
}

function brokerPorts({ KAFKA_BROKERS: brokers = '' }) {
  return brokers.split(',').map((broker) => Number(broker.split(':')[1]));
}

function observationOf(pod, policies) {
  const [{ settings }] = pod.containers;
  const problems = [];
  const otlp = settings.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (otlp && !allows(policies, pod, 'egress', { peer: isNamespace, port: portOf(otlp) }))
    problems.push(`${pod.id} reaches no collector of traces`);
  const isScraped = allows(policies, pod, 'ingress', { peer: isNamespace, port: 8081 });
  if (pod.isServing && !isScraped) problems.push(`${pod.id} is not reached by Prometheus`);
  return problems;
}

/** Each internal address leads to a pod, and is allowed on both sides. */
function callsOf(resources, caller, { pods, policies }) {
  const [{ settings }] = caller.containers;
  const isCall = (setting) =>
    /^[A-Z_]+_URL$/.test(setting) &&
    !/^PLATFORM/.test(setting) &&
    (settings.GATEWAY_ROLE !== 'events' || callsOfEvents.includes(setting));
  const called = Object.entries(settings).filter(([setting]) => isCall(setting));
  return called.flatMap(([setting, address]) => {
    const { hostname } = new URL(address);
    const ends = servedBy(resources, hostname, portOf(address), pods) ?? [];
    if (ends.length === 0) return [`${caller.id}: ${setting} leads to no pod`];
    return ends.flatMap(({ pod: callee, port }) => [
      ...(allows(policies, caller, 'egress', { peer: isPod(callee.labels), port })
        ? []
        : [`${caller.id} may not call ${callee.id}`]),
      ...(allows(policies, callee, 'ingress', { peer: isPod(caller.labels), port })
        ? []
        : [`${callee.id} may not be called by ${caller.id}`]),
    ]);
  });
}

function portOf(address) {
  const { port, protocol } = new URL(address);
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}

/** What is routed from outside reaches its pods from the namespace of the proxies. */
function frontOf(resources, { pods, policies }) {
  const routes = ofKind(resources, 'HTTPRoute').flatMap(({ spec }) =>
    spec.rules.flatMap(({ backendRefs }) => backendRefs),
  );
  const paths = ofKind(resources, 'Ingress').flatMap(({ spec }) =>
    spec.rules.flatMap(({ http }) => http.paths.map(({ backend }) => backend.service)),
  );
  const backends = [
    ...routes,
    ...paths.map(({ name, port }) => ({ name, port: port.name ?? port.number })),
  ];
  return backends.flatMap(({ name, port }) => {
    const ends = servedBy(resources, name, port, pods) ?? [];
    if (ends.length === 0) return [`the route to ${name} leads to no pod`];
    return ends
      .filter((end) => !allows(policies, end.pod, 'ingress', { peer: isNamespace, port: end.port }))
      .map(({ pod }) => `${pod.id} is not reached by the proxies`);
  });
}

/** Policies for pods that there are not. */
function idlePolicies(policies, resources) {
  const all = resources
    .map(({ spec }) => (spec?.jobTemplate?.spec ?? spec)?.template?.metadata?.labels)
    .filter((labels) => labels !== undefined);
  return policies
    .filter(
      ({ podSelector }) => ![...all, podsOfOperators].some((one) => selects(podSelector, one)),
    )
    .map(({ name }) => `the policy ${name} is of no pod`);
}

/** One budget, one autoscaler where there is any, and the monitor where there is one. */
function selectorsOf(resources, { id, labels }) {
  const problems = [];
  const budgets = ofKind(resources, 'PodDisruptionBudget').filter(({ spec }) =>
    selects(spec.selector, labels),
  );
  if (budgets.length !== 1) problems.push(`${id} has ${budgets.length} disruption budgets`);
  const scaled = resources.filter(({ spec }) => spec?.scaleTargetRef);
  const own = scaled.filter(({ spec }) => `Deployment ${spec.scaleTargetRef.name}` === id);
  if (scaled.length > 0 && own.length !== 1) problems.push(`${id} has ${own.length} autoscalers`);
  for (const { spec } of ofKind(resources, 'PodMonitor'))
    if (!selects(spec.selector, labels)) problems.push(`${id} is not monitored`);
  return problems;
}

module.exports = { checkPods };
