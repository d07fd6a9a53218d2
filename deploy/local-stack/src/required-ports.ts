import { isPortFree } from '@inventory/backends/free-port';
import { SetupError } from '@inventory/backends/setup-error';
import { monotonicNow } from '@inventory/runtime/clock';
import { pause } from '@inventory/runtime/wait';
import type { Environment } from './service-environment.ts';
import type { StackSettings } from './stack-settings.ts';

/** A port that a process of the stack is going to listen on. */
export interface RequiredPort {
  readonly port: number;
  /** The setting that chooses it. */
  readonly setting: string;
  /** What listens there, for example `the gateway`. */
  readonly user: string;
}

const pollMs = 200;

/** Every port that is fixed by a setting; those of servers that run elsewhere are left out. */
export function requiredPorts(
  { ports, platformBaseUrl }: StackSettings,
  environment: Environment,
): RequiredPort[] {
  const required = [
    { port: ports.gateway, setting: 'GATEWAY_PORT', user: 'the gateway' },
    { port: ports.operator, setting: 'OPERATOR_PORT', user: 'the operator API' },
  ];
  if (platformBaseUrl === null) {
    required.push({ port: ports.simulator, setting: 'SIMULATOR_PORT', user: 'the simulator' });
  }
  if (!environment['KAFKA_BROKERS']) {
    required.push({ port: ports.kafka, setting: 'KAFKA_PORT', user: 'Kafka' });
  }
  if (!environment['MONGODB_URI']) {
    required.push({ port: ports.mongodb, setting: 'MONGODB_PORT', user: 'MongoDB' });
  }
  return required;
}

/** Rejects with one {@link SetupError} that names every port that is still taken after `waitMs`. */
export async function assertPortsFree(
  required: readonly RequiredPort[],
  waitMs: number,
): Promise<void> {
  const startMs = monotonicNow();
  for (;;) {
    const conflicts = await portConflicts(required);
    if (conflicts.length === 0) return;
    if (monotonicNow() - startMs >= waitMs) throw new SetupError(conflicts.join('\n'));
    await pause(pollMs);
  }
}

async function portConflicts(required: readonly RequiredPort[]): Promise<string[]> {
  const fixed = required.filter(({ port }) => port !== 0);
  const shared = sharedPorts(fixed);
  if (shared.length > 0) return shared;
  const free = await Promise.all(fixed.map(({ port }) => isPortFree(port)));
  return fixed
    .filter((_port, index) => !free[index])
    .map(
      ({ port, setting, user }) =>
        `Port ${port}, which ${user} needs, is taken by another program: stop that program, or choose another port: ${setting}=<port> npm start`,
    );
}

function sharedPorts(required: readonly RequiredPort[]): string[] {
  return required.flatMap((one, index) => {
    const other = required.slice(0, index).find(({ port }) => port === one.port);
    if (other === undefined) return [];
    return [`${other.setting} and ${one.setting} are both ${one.port}: choose two ports.`];
  });
}
