import { type KafkaAccess, kafkaAccess, kafkaSettings } from '@inventory/runtime/kafka-access';
import {
  type MongodbAccess,
  mongodbAccess,
  mongodbSettings,
} from '@inventory/runtime/mongodb-access';
import { integer, readSettings, SettingsError, text } from '@inventory/runtime/settings';
import { cacheDirectory } from './cache-directory.ts';
import type { Environment } from './environment.ts';
import { SetupError } from './setup-error.ts';

const port = () => integer(1, 65_535).optional();
const shape = {
  KAFKA_PORT: port(),
  MONGODB_PORT: port(),
  INVENTORY_DOCKER: text()
    .regex(/^(detect|never)$/, 'must be `detect` or `never`')
    .optional(),
};

/** Defaults of the caller; the environment wins. */
export interface ProvisionDefaults {
  readonly ports?: { readonly kafka?: number; readonly mongodb?: number };
  /** `never`: native processes even where Docker responds. */
  readonly docker?: 'detect' | 'never';
}

export interface ProvisionSettings {
  /** How a given server is reached, by the services' own settings; null when none is given. */
  readonly kafka: KafkaAccess | null;
  readonly mongodb: MongodbAccess | null;
  readonly kafkaPort: number | null;
  readonly mongodbPort: number | null;
  readonly mayUseDocker: boolean;
  readonly cacheDir: string;
}

/** Throws one {@link SetupError} that lists every problem. */
export function readProvisionSettings(
  environment: Environment,
  defaults: ProvisionDefaults,
): ProvisionSettings {
  const problems: string[] = [];
  const read = <Settings>(readOne: () => Settings): Settings | null => {
    try {
      return readOne();
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      problems.push(...error.problems);
      return null;
    }
  };
  const all = { ...environment };
  const isGiven = (address: 'KAFKA_BROKERS' | 'MONGODB_URI', settings: object): boolean => {
    if (environment[address]) return true;
    const alone = Object.keys(settings).filter((name) => isSet(environment[name]));
    problems.push(...alone.map((name) => `${name}: needs ${address} beside it`));
    return false;
  };
  const kafka = isGiven('KAFKA_BROKERS', kafkaSettings)
    ? read(() => kafkaAccess(readSettings(kafkaSettings, all)))
    : null;
  const mongodb = isGiven('MONGODB_URI', mongodbSettings)
    ? read(() => mongodbAccess(readSettings(mongodbSettings, all)))
    : null;
  const own = read(() => readSettings(shape, all));
  if (own === null || problems.length > 0) throw new SetupError(problems.join('\n'));
  return {
    kafka,
    mongodb,
    kafkaPort: own.KAFKA_PORT ?? defaults.ports?.kafka ?? null,
    mongodbPort: own.MONGODB_PORT ?? defaults.ports?.mongodb ?? null,
    mayUseDocker: (own.INVENTORY_DOCKER ?? defaults.docker) !== 'never',
    cacheDir: cacheDirectory(environment),
  };
}

function isSet(value: string | undefined): boolean {
  return (value || 'false') !== 'false';
}
