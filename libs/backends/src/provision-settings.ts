import { cacheDirectory } from './cache-directory.ts';
import { type ConfiguredAccess, readConfiguredAccess } from './configured-access.ts';
import type { Environment } from './environment.ts';
import { isMongodbBuild, type MongodbBuild, mongodbBuilds } from './mongodb-build.ts';
import { ProvisionError } from './provision-error.ts';

/** What the caller would like; the environment, which is the person at the machine, wins. */
export interface ProvisionWishes {
  readonly ports?: { readonly kafka?: number; readonly mongodb?: number };
  readonly mongodbNative?: MongodbBuild;
  /** `never`: native processes even where Docker answers, for tests that take servers down. */
  readonly docker?: 'detect' | 'never';
}

export interface ProvisionSettings {
  readonly kafkaBrokers: string | null;
  readonly mongodbUri: string | null;
  readonly access: ConfiguredAccess;
  readonly kafkaPort: number | null;
  readonly mongodbPort: number | null;
  readonly mongodbNative: MongodbBuild | null;
  readonly docker: 'detect' | 'never';
  readonly cacheDir: string;
}

/** Reads and checks them. Throws one {@link ProvisionError} that lists every problem. */
export function readProvisionSettings(
  environment: Environment,
  wishes: ProvisionWishes,
): ProvisionSettings {
  const problems: string[] = [];
  const settings = {
    kafkaBrokers: brokerList(environment['KAFKA_BROKERS'], problems),
    mongodbUri: connectionString(environment['MONGODB_URI'], problems),
    access: readConfiguredAccess(environment, problems),
    kafkaPort: port('KAFKA_PORT', environment, problems) ?? wishes.ports?.kafka ?? null,
    mongodbPort: port('MONGODB_PORT', environment, problems) ?? wishes.ports?.mongodb ?? null,
    mongodbNative:
      nativeBuild(environment['MONGODB_NATIVE'], problems) ?? wishes.mongodbNative ?? null,
    docker: dockerUse(environment['INVENTORY_DOCKER'], problems) ?? wishes.docker ?? 'detect',
    cacheDir: cacheDirectory(environment),
  };
  if (problems.length > 0) throw new ProvisionError(problems.join('\n'));
  return settings;
}

function brokerList(value: string | undefined, problems: string[]): string | null {
  if (!value) return null;
  const addresses = value.split(',').map((address) => address.trim());
  if (addresses.every((address) => /^[^\s:/]+:\d{1,5}$|^\[[^\]]+\]:\d{1,5}$/.test(address))) {
    return addresses.join(',');
  }
  problems.push('KAFKA_BROKERS must be a list like `host:9092,other:9092`.');
  return null;
}

/** The value itself is never repeated: it may hold a password. */
function connectionString(value: string | undefined, problems: string[]): string | null {
  if (!value) return null;
  if (/^mongodb(\+srv)?:\/\/\S+$/.test(value)) return value;
  problems.push('MONGODB_URI must begin with `mongodb://` or `mongodb+srv://`.');
  return null;
}

function port(name: string, environment: Environment, problems: string[]): number | null {
  const value = environment[name];
  if (!value) return null;
  const number = Number(value);
  if (/^\d{1,5}$/.test(value) && number >= 1 && number <= 65_535) return number;
  problems.push(`${name} must be a port number from 1 to 65535.`);
  return null;
}

function nativeBuild(value: string | undefined, problems: string[]): MongodbBuild | null {
  if (!value) return null;
  if (isMongodbBuild(value)) return value;
  problems.push(`MONGODB_NATIVE must be one of ${mongodbBuilds.join(', ')}.`);
  return null;
}

function dockerUse(value: string | undefined, problems: string[]): 'detect' | 'never' | null {
  if (!value) return null;
  if (value === 'detect' || value === 'never') return value;
  problems.push('INVENTORY_DOCKER must be `detect` or `never`.');
  return null;
}
