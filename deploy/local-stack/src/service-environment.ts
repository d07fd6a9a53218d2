import type { ServiceName } from '@inventory/contracts/topics';
import { compileCache } from './repository-root.ts';
import type { StackSecrets } from './secrets.ts';
import type { ServiceAddress } from './service-address.ts';
import { serviceCallers, serviceTokenOf } from './service-tokens.ts';
import { simulatorReading } from './simulator-settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What the settings of every service of one stack are made of. */
export interface ServiceSurroundings {
  readonly kafkaBrokers: string;
  readonly mongodbUri: string;
  readonly topicPrefix: string;
  readonly databasePrefix: string;
  readonly secrets: StackSecrets;
  /** Null when the address of a platform is given. */
  readonly simulatorUrl: string | null;
  /** Internal address of each service, whichever replica responds there. */
  readonly internalUrls: Readonly<Record<ServiceName, string>>;
  /** Null where there is no sandbox. */
  readonly sandboxCollectorUrl: string | null;
  /** The environment of the user: may hold any setting of a service. */
  readonly given: Environment;
  /** Set by the caller of the library; wins over everything. */
  readonly overrides: Environment;
}

const stopDeadlineMs = 10_000;

/**
 * Defaults of the local stack, then the user's environment, then the addresses, names and secrets of
 * the stack; later ones win.
 */
export function serviceEnvironment(
  address: ServiceAddress,
  surroundings: ServiceSurroundings,
): Environment {
  const { service, environment } = address;
  const { simulatorUrl, given, overrides } = surroundings;
  return {
    STOP_DEADLINE_MS: String(stopDeadlineMs),
    NODE_COMPILE_CACHE: compileCache,
    ...(service === 'refresh-collector' && simulatorUrl
      ? simulatorReading(simulatorUrl, environment === 'live' ? 'egress' : 'sandbox')
      : {}),
    ...(service === 'gateway' ? { API_REFERENCE_TRY: 'true' } : {}),
    ...(service === 'event-stream' ? { WEBHOOK_ALLOW_PRIVATE: 'true' } : {}),
    ...(holdsPages.has(service) ? pageMemory : {}),
    ...withoutRunner(given),
    NODE_ENV: 'production',
    OTEL_SERVICE_NAME: environment === 'live' ? service : address.name,
    ...ownAddresses(address, surroundings),
    ...(environment === 'sandbox' ? ofSandbox : {}),
    ...overrides,
  };
}

/** Little at a time: it serves no paid work. */
const ofSandbox = {
  ENVIRONMENT: 'sandbox',
  OUTSTANDING_MAX: '500',
  SCANS_MAX: '4',
  IDENTITY_REQUESTS_PER_MINUTE: '30',
  IDENTITY_BURST: '25',
};

/** Their peak is that of a large scan. */
const holdsPages: ReadonlySet<ServiceName> = new Set(['refresh-collector', 'revision-store']);

const pageMemory = {
  /**
   * Pages that were dropped stay in memory until the young generation is full. With half the size of
   * V8's own the peak is 70 to 90 MB lower.
   */
  NODE_OPTIONS: '--max-semi-space-size=16',
  /** glibc gives each thread that packs an arena of its own, which keeps what was freed: 35 MB. */
  MALLOC_ARENA_MAX: '2',
};

/** Database of a service: a name of its own on the stack's one server. */
export function databaseOf(service: string, databasePrefix: string): string {
  return databasePrefix + service.replaceAll('-', '_');
}

function ownAddresses(
  { service, name, environment, httpPort, publicPort, operatorPort }: ServiceAddress,
  surroundings: ServiceSurroundings,
): Environment {
  const { secrets, internalUrls, databasePrefix, sandboxCollectorUrl } = surroundings;
  const common = {
    KAFKA_BROKERS: surroundings.kafkaBrokers,
    KAFKA_TOPIC_PREFIX: surroundings.topicPrefix,
    MONGODB_URI: surroundings.mongodbUri,
    MONGODB_DATABASE: databaseOf(environment === 'live' ? service : name, databasePrefix),
    HTTP_HOST: '127.0.0.1',
    HTTP_PORT: String(httpPort),
    SERVICE_TOKEN: serviceTokenOf(service, secrets.serviceTokenKey),
    SERVICE_CALLERS: serviceCallers(secrets.serviceTokenKey),
    REFRESH_COLLECTOR_URL: internalUrls['refresh-collector'],
    BILLING_LEDGER_URL: internalUrls['billing-ledger'],
    REVISION_STORE_URL: internalUrls['revision-store'],
    EVENT_STREAM_URL: internalUrls['event-stream'],
    GATEWAY_URL: internalUrls.gateway,
    ...(service === 'event-stream' ? { WEBHOOK_SECRET_KEYS: secrets.webhookSecretKeys } : {}),
  };
  if (publicPort === null) return common;
  return {
    ...common,
    PUBLIC_HTTP_HOST: '127.0.0.1',
    PUBLIC_HTTP_PORT: String(publicPort),
    OPERATOR_HTTP_HOST: '127.0.0.1',
    OPERATOR_HTTP_PORT: String(operatorPort),
    OPERATOR_TOKEN: secrets.operatorToken,
    ...(sandboxCollectorUrl && { SANDBOX_REFRESH_COLLECTOR_URL: sandboxCollectorUrl }),
    CURSOR_KEYS: secrets.cursorKeys,
  };
}

/** Without the variables of npm and of the test runner. */
function withoutRunner(given: Environment): Environment {
  const kept = Object.entries(given).filter(
    ([name]) => !name.startsWith('npm_') && !name.startsWith('JEST_') && name !== 'OPERATOR_TOKEN',
  );
  return Object.fromEntries(kept);
}
