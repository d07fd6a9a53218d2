import { randomBytes } from 'node:crypto';
import { loadConfig as ledgerConfig } from '@inventory/billing-ledger/config';
import { startBillingLedger } from '@inventory/billing-ledger/start-billing-ledger';
import { type ServiceName, serviceNames } from '@inventory/contracts/topics';
import { loadConfig as eventStreamConfig } from '@inventory/event-stream/config';
import { startEventStream } from '@inventory/event-stream/start-event-stream';
import { loadConfig as gatewayConfig } from '@inventory/gateway/config';
import { startGateway } from '@inventory/gateway/start-gateway';
import {
  assignAddresses,
  localUrl,
  type ServiceAddress,
  sandboxCollectorUrl,
} from '@inventory/local-stack/service-address';
import { serviceEnvironment } from '@inventory/local-stack/service-environment';
import { serviceTokenOf } from '@inventory/local-stack/service-tokens';
import { ensureTopics } from '@inventory/messaging/kafka/topic-admin';
import {
  type PlatformSimulator,
  startPlatformSimulator,
} from '@inventory/platform-simulator/platform-simulator';
import { loadConfig as collectorConfig } from '@inventory/refresh-collector/config';
import { startRefreshCollector } from '@inventory/refresh-collector/start-refresh-collector';
import { loadConfig as storeConfig } from '@inventory/revision-store/config';
import { startRevisionStore } from '@inventory/revision-store/start-revision-store';
import { systemClock } from '@inventory/runtime/clock';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import type { Lifetime } from '@inventory/runtime/lifetime';
import { createLogger } from '@inventory/runtime/logger';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { StackAddresses } from './addresses.ts';
import { patientSettings, withPatientDeadlines, withPatientLivePages } from './patient-settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Context = Omit<ServiceContext, 'config'>;

export interface SharedStackOptions {
  readonly kafkaBrokers: string;
  readonly mongodbUri: string;
  /** For topics, groups and databases: no other stack of the run uses it. */
  readonly prefix: string;
  readonly lifetime: Lifetime;
}

/** Each service by its own configuration and composition root, as its main starts it. */
const starts: Readonly<Record<ServiceName, (env: Environment, context: Context) => unknown>> = {
  gateway: (env, context) =>
    startGateway({ ...context, config: withPatientDeadlines(gatewayConfig(env)) }),
  'refresh-collector': (env, context) =>
    startRefreshCollector({ ...context, config: withPatientLivePages(collectorConfig(env)) }),
  'billing-ledger': (env, context) => startBillingLedger({ ...context, config: ledgerConfig(env) }),
  'revision-store': (env, context) => startRevisionStore({ ...context, config: storeConfig(env) }),
  'event-stream': (env, context) =>
    startEventStream({ ...context, config: eventStreamConfig(env) }),
};

const replicas = 2;
/** As many as a throttled page is tried, less two: one of them is always rested long enough. */
const egressSlots = 4;
const partitions = 6;

/** The whole product, two replicas of each service, in this one process. */
export async function startSharedStack(options: SharedStackOptions): Promise<StackAddresses> {
  const { kafkaBrokers, mongodbUri, prefix, lifetime } = options;
  const [topicPrefix, databasePrefix] = [`${prefix}.`, `${prefix}_`];
  await ensureTopics({
    brokers: kafkaBrokers.split(','),
    topicPrefix,
    partitions,
    replicationFactor: 1,
    logger: createLogger({ service: 'shared-stack', level: 'warn' }),
  });
  const simulator = await startPlatformSimulator({
    limits: { slots: null, blockSeconds: 1 },
    latency: { fixedMs: 20 },
  });
  lifetime.defer('simulator', () => simulator.close());
  const counts = Object.fromEntries(serviceNames.map((name) => [name, replicas]));
  const ports = { gateway: 0, operator: 0, simulator: null };
  const addresses = await assignAddresses(counts, ports, true);
  const secrets = newSecrets();
  const serviceTokens = Object.fromEntries(
    serviceNames.map((name) => [name, serviceTokenOf(name, secrets.serviceTokenKey)]),
  );
  const surroundings = { kafkaBrokers, mongodbUri, topicPrefix, databasePrefix, secrets };
  await Promise.all(
    addresses.map((address) => {
      const { service } = address;
      const environment = serviceEnvironment(address, {
        ...surroundings,
        simulatorUrl: simulator.url,
        sandboxCollectorUrl: sandboxCollectorUrl(addresses),
        internalUrls: urlsBeside(address, addresses),
        given: {},
        overrides: { ...patientSettings(service), ...egressOf(simulator) },
      });
      const logger = createLogger({ service: address.name, level: 'debug' });
      const context = { lifetime, logger, clock: systemClock, identifiers: systemIdentifiers };
      return starts[service](environment, context);
    }),
  );
  return {
    operatorToken: secrets.operatorToken,
    simulatorUrl: simulator.url,
    topicPrefix,
    databasePrefix,
    services: addresses.map(({ service, name, httpPort, publicPort, operatorPort }) => ({
      service,
      name,
      url: localUrl(httpPort),
      publicUrl: publicPort === null ? null : localUrl(publicPort),
      operatorUrl: operatorPort === null ? null : localUrl(operatorPort),
    })),
    secrets: { ...secrets, ...serviceTokens },
  };
}

/** The first replica of a service calls the first of another, the second the second. */
function urlsBeside(address: ServiceAddress, all: readonly ServiceAddress[]) {
  const isSecond = address.name.endsWith('-2');
  const beside = all.filter(
    ({ name, environment }) => environment === 'live' && name.endsWith('-2') === isSecond,
  );
  const urls = beside.map(({ service, httpPort }) => [service, localUrl(httpPort)]);
  return Object.fromEntries(urls) as Readonly<Record<ServiceName, string>>;
}

function egressOf(simulator: PlatformSimulator): Environment {
  const urls = Array.from({ length: egressSlots }, (_none, index) =>
    simulator.proxyUrl(`egress-${index + 1}`),
  );
  return {
    PLATFORM_EGRESS: urls.join(','),
    // More than the tests read, in the sandbox as well.
    IDENTITY_REQUESTS_PER_MINUTE: '480',
    IDENTITY_BURST: '100',
  };
}

const newSecret = () => randomBytes(32).toString('base64url');

function newSecrets() {
  return {
    serviceTokenKey: newSecret(),
    operatorToken: newSecret(),
    cursorKeys: newSecret(),
    webhookSecretKeys: newSecret(),
  };
}
