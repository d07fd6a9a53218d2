import { type KafkaAccess, kafkaAccess, kafkaSettings } from '@inventory/runtime/kafka-access';
import {
  type MongodbAccess,
  mongodbAccess,
  mongodbSettings,
} from '@inventory/runtime/mongodb-access';
import { readSettings, SettingsError } from '@inventory/runtime/settings';
import type { Environment } from './environment.ts';

/** How servers that somebody else runs are reached; null for those that are not given. */
export interface ConfiguredAccess {
  readonly kafka: KafkaAccess | null;
  readonly mongodb: MongodbAccess | null;
}

/** The settings that the services know, read as they read them. */
export function readConfiguredAccess(
  environment: Environment,
  problems: string[],
): ConfiguredAccess {
  const access: Record<string, string | undefined> = { ...environment };
  const collecting = <Value>(read: () => Value): Value | null => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      problems.push(...error.problems);
      return null;
    }
  };
  const isGiven = (address: 'KAFKA_BROKERS' | 'MONGODB_URI', settings: object): boolean => {
    if (environment[address]) return true;
    const alone = Object.keys(settings).filter(
      (name) => (environment[name] || 'false') !== 'false',
    );
    problems.push(...alone.map((name) => `${name}: needs ${address} beside it`));
    return false;
  };
  return {
    kafka: isGiven('KAFKA_BROKERS', kafkaSettings)
      ? collecting(() => kafkaAccess(readSettings(kafkaSettings, access)))
      : null,
    mongodb: isGiven('MONGODB_URI', mongodbSettings)
      ? collecting(() => mongodbAccess(readSettings(mongodbSettings, access)))
      : null,
  };
}
