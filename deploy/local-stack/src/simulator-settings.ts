/**
 * Limits of the local simulator, and how the collector reads it: higher than those of the real
 * platform, so that no demo waits for rate limits. The requests that an identity may send in any
 * minute (rate and burst) stay below those that the simulator admits.
 */
const admittedPerMinute = 600;
const sentPerMinute = 480;
const sentAtOnce = 100;
const identities = 8;

/** The simulator's own settings. */
export function simulatorLimits(port: number): Readonly<Record<string, string>> {
  return {
    SIMULATOR_HOST: '127.0.0.1',
    SIMULATOR_PORT: String(port),
    SIMULATOR_WINDOW_SECONDS: '60',
    SIMULATOR_SLOTS: String(admittedPerMinute),
    SIMULATOR_LATENCY_MS: '250',
  };
}

/** The collector's settings for it: several egress identities, each through the simulator's proxy. */
export function simulatorReading(
  simulatorUrl: string,
  name = 'egress',
): Readonly<Record<string, string>> {
  const { host } = new URL(simulatorUrl);
  const egress = Array.from(
    { length: identities },
    (_none, index) => `http://${name}-${index + 1}:-@${host}`,
  );
  return {
    PLATFORM_BASE_URL: simulatorUrl,
    PLATFORM_EGRESS: egress.join(','),
    IDENTITY_REQUESTS_PER_MINUTE: String(sentPerMinute),
    IDENTITY_BURST: String(sentAtOnce),
    PAGE_RETRY_MS: '1000',
    PAGE_DUPLICATE_RETRY_MS: '1500',
  };
}
