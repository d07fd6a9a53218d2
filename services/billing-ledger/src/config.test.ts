import { SettingsError } from '@inventory/runtime/settings';
import { loadConfig } from './config.ts';

const required = {
  KAFKA_BROKERS: 'kafka:9092',
  MONGODB_URI: 'mongodb://mongo/',
  MONGODB_DATABASE: 'ledger',
  HTTP_PORT: '4003',
};

describe('The configuration of the ledger', () => {
  test('needs only where things are; everything else has a default', () => {
    const config = loadConfig(required);

    expect(config.commits).toEqual({ commandsMax: 500, entriesMax: 250 });
    expect(config.snapshots.everyEntries).toBe(200);
    expect(Object.isFrozen(config.cache)).toBe(true);
  });

  test('names every problem at once', () => {
    const wrong = { ...required, ACCOUNT_BATCH_MAX: '501', SNAPSHOT_EVERY_ENTRIES: 'often' };

    expect(() => loadConfig(wrong)).toThrow(SettingsError);
    expect(() => loadConfig(wrong)).toThrow(/ACCOUNT_BATCH_MAX[\s\S]*SNAPSHOT_EVERY_ENTRIES/);
  });
});
