import type { Environment } from '../src/environment.ts';

/** The environment without the backends of the test run. */
export function machineEnvironment(): Environment {
  // biome-ignore lint/style/noProcessEnv: the programs that are run need PATH, HOME and proxies.
  const { KAFKA_BROKERS, MONGODB_URI, KAFKA_PORT, MONGODB_PORT, ...rest } = process.env;
  return rest;
}
