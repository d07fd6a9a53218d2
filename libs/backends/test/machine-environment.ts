import type { Environment } from '../src/environment.ts';

/** What the machine offers, without the backends and choices of the run that this test is part of. */
export function machineEnvironment(): Environment {
  // biome-ignore lint/style/noProcessEnv: the programs that are run need PATH, HOME and proxies.
  const { KAFKA_BROKERS, MONGODB_URI, KAFKA_PORT, MONGODB_PORT, ...rest } = process.env;
  return rest;
}
