import { SettingsError } from '@inventory/runtime/settings';
import { loadConfig } from './config.ts';

const required = {
  KAFKA_BROKERS: 'localhost:9092',
  MONGODB_URI: 'mongodb://localhost',
  MONGODB_DATABASE: 'revision_store',
  HTTP_PORT: '0',
};

describe('The configuration', () => {
  it('keeps superseded observations a day and the head 180 days by default [superseded-stays-24-h-the-head-180-days]', () => {
    const { retention, assembly } = loadConfig(required);

    expect(retention.supersededKeptMs).toBe(24 * 3_600_000);
    expect(retention.headKeptMs).toBe(180 * 24 * 3_600_000);
    expect(assembly.missingPagesWaitMs).toBe(60_000);
  });

  it('names every problem at once', () => {
    const load = () => loadConfig({ ...required, ASSEMBLIES_MAX: '0', HEAD_KEPT_MS: 'long' });

    expect(load).toThrow(SettingsError);
    expect(load).toThrow(/ASSEMBLIES_MAX[\s\S]*HEAD_KEPT_MS/);
  });
});
