import { SettingsError } from '@inventory/runtime/settings';
import { loadConfig } from './config.ts';

const required = {
  KAFKA_BROKERS: 'a:9092, b:9092',
  MONGODB_URI: 'mongodb://a',
  MONGODB_DATABASE: 'refresh_collector',
  HTTP_PORT: '8080',
  REVISION_STORE_URL: 'http://revision-store',
  BILLING_LEDGER_URL: 'http://billing-ledger',
  PLATFORM_BASE_URL: 'https://platform.example',
};

describe('loadConfig', () => {
  it('keeps the limits that the platform was seen to bear when nothing else is said (upstream 1.5)', () => {
    expect(loadConfig(required)).toMatchObject({
      kafka: { brokers: ['a:9092', 'b:9092'], topicPrefix: '' },
      platform: { egress: ['direct'] },
      identities: { requestsPerMinute: 3, cooldownFirstMs: 90_000, cooldownMaxMs: 1_800_000 },
      pages: { count: 2_000 },
      scheduling: { pagesMax: 250 },
      deadlines: { queueMs: 1_800_000, collectMs: 3_600_000, settleGraceMs: 600_000 },
      admission: { outstandingMax: 10_000, outstandingPerAccountMax: 1_000 },
    });
  });

  it('names every problem at once, and repeats no value', () => {
    const wrong = {
      ...required,
      HTTP_PORT: '',
      PLATFORM_BASE_URL: 'nowhere',
      PLATFORM_EGRESS: 'direct, user:s3cret@proxy',
      SCANS_MAX: 'many',
    };
    const problems = () => {
      try {
        loadConfig(wrong);
        return [];
      } catch (error) {
        return error instanceof SettingsError ? error.problems : [];
      }
    };
    expect(problems().map((problem) => problem.split(/[ :]/)[0])).toEqual([
      'HTTP_PORT',
      'PLATFORM_BASE_URL',
      'PLATFORM_EGRESS',
      'SCANS_MAX',
    ]);
    expect(problems().join()).not.toContain('s3cret');
  });

  it('refuses an identity that is named twice: it would be used twice as fast', () => {
    expect(() => loadConfig({ ...required, PLATFORM_EGRESS: 'direct,direct' })).toThrow(/twice/);
  });
});
