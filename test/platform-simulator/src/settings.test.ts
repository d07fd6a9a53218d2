import { readSettings } from './settings.ts';

describe('settings of the process', () => {
  it("are the platform's real limits when nothing is said", () => {
    expect(readSettings({})).toEqual({
      host: '127.0.0.1',
      port: 0,
      seed: 1,
      limits: { windowSeconds: 60, slots: 6, blockSeconds: 60, countMax: 2_000 },
      latency: { fixedMs: 0, slowMs: 120_000 },
    });
  });

  it('can switch the limiter off', () => {
    expect(readSettings({ SIMULATOR_SLOTS: 'unlimited' }).limits?.slots).toBeNull();
  });

  it('are all named at once when they are wrong', () => {
    const read = () => readSettings({ SIMULATOR_PORT: 'http', SIMULATOR_COUNT_MAX: '0' });

    expect(read).toThrow(/SIMULATOR_PORT.*SIMULATOR_COUNT_MAX/);
  });
});
