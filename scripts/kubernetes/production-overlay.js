'use strict';

/** The overlay of an installation: which components it has, and its values where they are used. */
const { stringify } = require('yaml');
const { portRange } = require('./values.js');

const namespace = 'game-item-inventory';
const services = [
  'gateway',
  'refresh-collector',
  'billing-ledger',
  'revision-store',
  'event-stream',
];

/** In the order in which kustomize applies them: secured-backends adds to each pod before it. */
function componentsOf(values) {
  const { scaling, proxies, observability } = values;
  return [
    scaling.gateway === 'streams' ? 'gateway-by-streams' : 'scaling',
    `collector-by-${scaling.collector}`,
    proxies.kind,
    ...(values.events_host ? ['events-origin'] : []),
    ...(values.sandbox ? ['sandbox'] : []),
    ...(observability.prometheus_operator ? ['prometheus-operator'] : []),
    ...(values.backends_secured ? ['secured-backends'] : []),
  ];
}

/** Files of the overlay by name; `from` leads from its folder to deploy/kubernetes. */
function overlayFiles(values, { from, source }) {
  const header = `# Made by scripts/make-production.js from ${source}: edit that and run it again.\n`;
  const components = componentsOf(values);
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    namespace,
    resources: [`${from}/base`, 'resources.yaml'],
    components: components.map((name) => `${from}/components/${name}`),
    images: [...services, ...(values.sandbox ? ['platform-simulator'] : [])].map((name) => ({
      name: `game-item-inventory/${name}`,
      newName: `${values.images.registry}/${name}`,
      newTag: values.images.tag,
    })),
    generatorOptions: { labels: { 'app.kubernetes.io/component': 'preparation' } },
    configMapGenerator: settingsOf(values),
    patches: patchesOf(values).map(({ kind, name, operations }) => ({
      target: { kind, name },
      patch: stringify(operations),
    })),
    ...(values.observability.prometheus_operator ? { replacements: [runbooksReplacement] } : {}),
  };
  const resources = [
    backendsPolicy(values),
    ...(values.observability.prometheus_operator ? [runbooksSource(values)] : []),
  ];
  return {
    'kustomization.yaml': header + stringify(kustomization, { lineWidth: 0 }),
    'resources.yaml': header + resources.map((one) => stringify(one)).join('---\n'),
  };
}

/** The settings that the values are, by ConfigMap; an empty one counts as absent. */
function settingsOf(values) {
  const { kafka, mongodb, observability, backends_secured: isSecured } = values;
  const cluster = {
    KAFKA_BROKERS: kafka.brokers.join(','),
    ...(kafka.topic_prefix ? { KAFKA_TOPIC_PREFIX: kafka.topic_prefix } : {}),
    ...(isSecured && !kafka.ca_file ? { KAFKA_TLS_CA_FILE: '' } : {}),
  };
  const given = {
    topics: {
      ...cluster,
      ...(isSecured && !kafka.topics_job_grants_rights ? { ACL_PRINCIPALS: '' } : {}),
    },
    settings: {
      ...cluster,
      ...(isSecured && !mongodb.ca_file ? { MONGODB_TLS_CA_FILE: '' } : {}),
      ...(observability.otlp_endpoint
        ? { OTEL_EXPORTER_OTLP_ENDPOINT: observability.otlp_endpoint }
        : {}),
    },
    gateway: {
      TRUSTED_PROXIES: values.proxies.networks.join(','),
      ...(values.events_host ? { EVENTS_ORIGIN: `https://${values.events_host}` } : {}),
    },
    'refresh-collector': { PLATFORM_BASE_URL: values.platform_url },
  };
  for (const [name, further] of Object.entries(values.settings ?? {}))
    given[name] = { ...given[name], ...further };
  return Object.entries(given).map(([name, literals]) => ({
    name,
    behavior: 'merge',
    literals: Object.entries(literals).map(([setting, value]) => `${setting}=${value}`),
  }));
}

const replace = (path, value) => ({ op: 'replace', path, value });
const ofNamespace = (name) => ({ 'kubernetes.io/metadata.name': name });

/** The values in what the base and the components define. */
function patchesOf(values) {
  const { proxies, observability, scaling, public_host: publicHost } = values;
  const { otlp_endpoint: otlp } = observability;
  const peer = '0/namespaceSelector/matchLabels';
  const observed = [
    replace(`/spec/ingress/0/from/${peer}`, ofNamespace(observability.namespace)),
    replace(`/spec/egress/0/to/${peer}`, ofNamespace(observability.namespace)),
    ...(otlp ? [replace('/spec/egress/0/ports/0/port', portOf(otlp))] : []),
  ];
  const collector = [replace('/spec/triggers/0/metadata/serverAddress', scaling.prometheus_url)];
  const probe = [
    replace('/spec/prober/url', observability.blackbox),
    replace('/spec/targets/staticConfig/static/0', `https://${publicHost}/openapi.json`),
  ];
  return [
    { kind: 'NetworkPolicy', name: 'observed', operations: observed },
    ...frontPatches('public', publicHost, proxies),
    ...(values.events_host ? frontPatches('events', values.events_host, proxies) : []),
    ...(scaling.collector === 'keda'
      ? [{ kind: 'ScaledObject', name: 'refresh-collector', operations: collector }]
      : []),
    ...(observability.prometheus_operator
      ? [{ kind: 'Probe', name: 'public-api', operations: probe }]
      : []),
  ];
}

/** The host in front of a Service, and the proxies that may reach its pods. */
function frontPatches(name, host, proxies) {
  const from = '/spec/ingress/0/from/0/namespaceSelector/matchLabels';
  const policy = {
    kind: 'NetworkPolicy',
    name,
    operations: [replace(from, ofNamespace(proxies.namespace))],
  };
  if (proxies.kind === 'ingress') {
    const operations = [
      replace('/spec/ingressClassName', proxies.class),
      replace('/spec/tls/0/hosts/0', host),
      replace('/spec/rules/0/host', host),
    ];
    return [policy, { kind: 'Ingress', name, operations }];
  }
  const gateway = [
    replace('/spec/gatewayClassName', proxies.class),
    replace('/spec/listeners/0/hostname', host),
  ];
  return [
    policy,
    { kind: 'Gateway', name, operations: gateway },
    { kind: 'HTTPRoute', name, operations: [replace('/spec/hostnames/0', host)] },
  ];
}

/** From every pod to the brokers and the members, wherever they are. */
function backendsPolicy({ kafka, mongodb }) {
  const to = ({ networks, ports }) => ({
    to: networks.map((cidr) => ({ ipBlock: { cidr } })),
    ports: ports.map(portRange).map(([port, endPort]) => ({
      protocol: 'TCP',
      port,
      ...(endPort > port ? { endPort } : {}),
    })),
  });
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'to-kafka-and-mongodb' },
    spec: {
      podSelector: { matchLabels: { 'app.kubernetes.io/part-of': namespace } },
      policyTypes: ['Egress'],
      egress: [to(kafka), to(mongodb)],
    },
  };
}

/** Read by kustomize alone: a replacement takes its value from a resource. */
function runbooksSource({ observability }) {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'runbooks',
      annotations: { 'config.kubernetes.io/local-config': 'true' },
    },
    data: { address: observability.runbooks },
  };
}

const runbooksReplacement = {
  source: { kind: 'ConfigMap', name: 'runbooks', fieldPath: 'data.address' },
  targets: [
    {
      select: { kind: 'PrometheusRule' },
      fieldPaths: ['spec.groups.*.rules.*.annotations.runbook_url'],
      options: { delimiter: '/', index: 2 },
    },
  ],
};

function portOf(given) {
  const { port, protocol } = new URL(given);
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}

module.exports = { namespace, overlayFiles, services };
