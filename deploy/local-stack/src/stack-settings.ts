import { SetupError } from '@inventory/backends/setup-error';
import { type InventoryKey, inventoryKey } from '@inventory/contracts/inventory-key';
import { type ServiceName, serviceNames } from '@inventory/contracts/topics';
import {
  flag,
  integer,
  port,
  readSettings,
  SettingsError,
  text,
  url,
} from '@inventory/runtime/settings';

/** Settings of the local stack itself; services and simulator read their own. */
const shape = {
  GATEWAY_PORT: port().prefault('8080'),
  OPERATOR_PORT: port().prefault('8081'),
  SIMULATOR_PORT: port().prefault('8090'),
  KAFKA_PORT: integer(1, 65_535).prefault('9192'),
  MONGODB_PORT: integer(1, 65_535).prefault('9217'),
  PLATFORM_BASE_URL: url().optional(),
  DEMO_INVENTORY: text().optional(),
  REPLICAS: text().optional(),
  SANDBOX: flag().prefault('false'),
  LOCAL_STACK_DIR: text().default('.local'),
  KAFKA_TOPIC_PREFIX: text()
    .regex(/^[a-zA-Z0-9._-]{1,60}$/)
    .optional(),
  MONGODB_DATABASE_PREFIX: text()
    .regex(/^[a-zA-Z0-9_-]{1,30}$/)
    .default('inventory_'),
};

export const stackSettingNames = Object.keys(shape);

const replicasMax = 9;

export type Replicas = Readonly<Partial<Record<ServiceName, number>>>;

export interface StackSettings {
  readonly ports: {
    readonly gateway: number;
    readonly operator: number;
    readonly simulator: number;
    readonly kafka: number;
    readonly mongodb: number;
  };
  /** Null: the simulator is started and read. */
  readonly platformBaseUrl: string | null;
  /** The inventory whose refresh is shown; null: one that the simulator lists. */
  readonly demoInventory: InventoryKey | null;
  readonly replicas: Replicas;
  /** Only where the simulator is started: it is what the sandbox reads. */
  readonly hasSandbox: boolean;
  readonly directory: string;
  readonly topicPrefix: string;
  readonly databasePrefix: string;
}

/** Throws one {@link SetupError} that names every problem. */
export function readStackSettings(
  environment: Readonly<Record<string, string | undefined>>,
): StackSettings {
  const problems: string[] = [];
  const replicas = readReplicas(environment['REPLICAS'], problems);
  const demoInventory = readInventory(environment['DEMO_INVENTORY'], problems);
  const given = collecting(problems, () => readSettings(shape, environment));
  if (given === null || problems.length > 0) throw new SetupError(problems.join('\n'));
  return {
    ports: {
      gateway: given.GATEWAY_PORT,
      operator: given.OPERATOR_PORT,
      simulator: given.SIMULATOR_PORT,
      kafka: given.KAFKA_PORT,
      mongodb: given.MONGODB_PORT,
    },
    platformBaseUrl: given.PLATFORM_BASE_URL ?? null,
    demoInventory,
    replicas,
    hasSandbox: given.SANDBOX && given.PLATFORM_BASE_URL === undefined,
    directory: given.LOCAL_STACK_DIR,
    topicPrefix: given.KAFKA_TOPIC_PREFIX ?? '',
    databasePrefix: given.MONGODB_DATABASE_PREFIX,
  };
}

function collecting<Value>(problems: string[], read: () => Value): Value | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    problems.push(...error.problems);
    return null;
  }
}

function readInventory(given: string | undefined, problems: string[]): InventoryKey | null {
  if (!given) return null;
  const [platformId, appId, contextId, ...rest] = given.split('/');
  const parsed = inventoryKey.safeParse({
    platform_id: platformId,
    app_id: Number(appId),
    context_id: Number(contextId),
  });
  if (parsed.success && rest.length === 0) return parsed.data;
  problems.push('DEMO_INVENTORY must be <platform_id>/<app_id>/<context_id>');
  return null;
}

/** For example `refresh-collector=2,gateway=2`; a service not named runs once. */
function readReplicas(given: string | undefined, problems: string[]): Replicas {
  const replicas: Partial<Record<ServiceName, number>> = {};
  for (const part of (given ?? '').split(',').filter((item) => item.trim() !== '')) {
    const [name = '', count = ''] = part.split('=').map((word) => word.trim());
    const service = serviceNames.find((known) => known === name);
    if (service === undefined) {
      problems.push(`REPLICAS: "${name}" is none of ${serviceNames.join(', ')}`);
    } else if (!/^[1-9]$/.test(count)) {
      problems.push(`REPLICAS: ${name} must be a number from 1 to ${replicasMax}`);
    } else {
      replicas[service] = Number(count);
    }
  }
  return replicas;
}
