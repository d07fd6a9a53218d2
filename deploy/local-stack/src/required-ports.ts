import { ProvisionError } from '@inventory/backends/provision-error';
import { portConflicts, portConflictsAfterCrash, type WantedPort } from './port-check.ts';
import type { Environment } from './service-environment.ts';
import type { StackSettings } from './stack-settings.ts';

/** How long the watchdogs of a killed start may take to end its processes. */
const crashLeftoversMs = 12_000;

/** Every port that is fixed by a setting; those of servers that run elsewhere are left out. */
export function requiredPorts(
  { ports, platformBaseUrl }: StackSettings,
  environment: Environment,
): WantedPort[] {
  const wanted: WantedPort[] = [
    { port: ports.gateway, setting: 'GATEWAY_PORT', user: 'the gateway' },
    { port: ports.operator, setting: 'OPERATOR_PORT', user: 'the operator API' },
  ];
  if (platformBaseUrl === null) {
    wanted.push({ port: ports.simulator, setting: 'SIMULATOR_PORT', user: 'the simulator' });
  }
  if (!environment['KAFKA_BROKERS']) {
    wanted.push({ port: ports.kafka, setting: 'KAFKA_PORT', user: 'Kafka' });
  }
  if (!environment['MONGODB_URI']) {
    wanted.push({ port: ports.mongodb, setting: 'MONGODB_PORT', user: 'MongoDB' });
  }
  return wanted;
}

/** Throws one {@link ProvisionError} that names every port in the way, before anything is started. */
export async function assertPortsFree(
  wanted: readonly WantedPort[],
  afterCrash: boolean,
): Promise<void> {
  const conflicts = afterCrash
    ? await portConflictsAfterCrash(wanted, crashLeftoversMs)
    : await portConflicts(wanted);
  if (conflicts.length > 0) throw new ProvisionError(conflicts.join('\n'));
}
