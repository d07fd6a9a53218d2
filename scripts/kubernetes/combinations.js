'use strict';

/** Every combination of components that the values allow, each value unlike any that a manifest has. */

/** What a value is in the rendering: each occurs in some combination, and no name that is none of them. */
const filled = {
  public_host: 'public.filled.test',
  images: { registry: 'images.filled.test/inventory', tag: '9.8.7-filled' },
  platform_url: 'https://platform.filled.test',
  proxies: { class: 'filled-class', namespace: 'filled-proxies', networks: ['10.64.0.0/16'] },
  kafka: {
    brokers: ['broker-0.filled.test:19092', 'broker-1.filled.test:19093'],
    networks: ['10.65.0.0/16', 'fd65::/64'],
    ports: ['19092-19093'],
    ca_file: 'kafka.pem',
    topic_prefix: 'filled-prefix.',
    topics_job_grants_rights: true,
  },
  mongodb: {
    uri: 'mongodb+srv://{user}:{password}@mongodb.filled.test/',
    networks: ['10.66.0.0/16'],
    ports: ['27000-27018'],
    ca_file: 'mongodb.pem',
  },
  scaling: { prometheus_url: 'http://prometheus.filled.test:19090' },
  observability: {
    namespace: 'filled-observability',
    otlp_endpoint: 'http://otel.filled-observability:14318',
    blackbox: 'blackbox.filled.test:19115',
    runbooks: 'runbooks.filled.test/inventory',
  },
  settings: { gateway: { V1_DEPRECATED_AT: '2031-12-31' } },
};
const eventsHost = 'events.filled.test';

/** Strings that occur in the rendering of some combination. */
const rendered = [
  filled.public_host,
  eventsHost,
  filled.images.registry,
  filled.images.tag,
  `${filled.images.registry}/platform-simulator`,
  filled.platform_url,
  filled.proxies.class,
  filled.proxies.namespace,
  ...filled.proxies.networks,
  ...filled.kafka.brokers,
  ...filled.kafka.networks,
  'port: 19092',
  'endPort: 19093',
  filled.kafka.topic_prefix,
  ...filled.mongodb.networks,
  'port: 27000',
  'endPort: 27018',
  filled.scaling.prometheus_url,
  filled.observability.namespace,
  filled.observability.otlp_endpoint,
  filled.observability.blackbox,
  `https://${filled.observability.runbooks}/`,
  filled.settings.gateway.V1_DEPRECATED_AT,
];

/** `{ name, values }` of each. */
function combinations() {
  const found = [];
  for (const kind of ['gateway-api', 'ingress'])
    for (const gateway of ['cpu', 'streams'])
      for (const collector of ['keda', 'hpa'])
        for (const hasEvents of kind === 'ingress' ? [false] : [false, true])
          for (const isSecured of [true, false])
            for (const hasOperator of [true, false])
              for (const sandbox of [true, false])
                found.push(
                  combination({
                    ...{ kind, gateway, collector, hasEvents },
                    ...{ isSecured, hasOperator, sandbox },
                  }),
                );
  return found;
}

function combination({ kind, gateway, collector, hasEvents, isSecured, hasOperator, sandbox }) {
  const name = [
    kind,
    gateway,
    collector,
    ...(hasEvents ? ['events'] : []),
    ...(isSecured ? ['secured'] : []),
    ...(hasOperator ? ['operator'] : []),
    ...(sandbox ? ['sandbox'] : []),
  ].join('+');
  const values = {
    ...filled,
    events_host: hasEvents ? eventsHost : null,
    backends_secured: isSecured,
    sandbox,
    proxies: { ...filled.proxies, kind },
    scaling: { ...filled.scaling, gateway, collector },
    observability: { ...filled.observability, prometheus_operator: hasOperator },
  };
  return { name, values };
}

/** Names of the filled values, by which one of an installation is told from one of a manifest. */
const isFilled = (name) => name.includes('filled') || /^(10\.6[456]\.|fd65:)/.test(name);

module.exports = { combinations, isFilled, rendered };
