import { rotateLog } from '@inventory/backends/log-file';
import { ManagedProcess } from '@inventory/backends/managed-process';
import type { OnProgress } from '@inventory/backends/progress';
import { type ServiceName, serviceNames } from '@inventory/contracts/topics';
import type { Lifetime } from '@inventory/runtime/lifetime';
import { balanceConnections } from './balance-connections.ts';
import { logPath } from './local-directory.ts';
import { assertHealthy, assertListening, watchLiveness } from './probe.ts';
import {
  compileCache,
  repositoryRoot,
  serviceProgram,
  simulatorProgram,
} from './repository-root.ts';
import { localUrl, type ServiceAddress } from './service-address.ts';
import {
  type Environment,
  type ServiceSurroundings,
  serviceEnvironment,
} from './service-environment.ts';
import { simulatorLimits } from './simulator-settings.ts';
import type { StackService } from './stack.ts';

/** What the processes of a stack have in common. */
export interface StackRuntime {
  /** The checkout of the services. */
  readonly root: string;
  readonly logsDir: string;
  readonly onProgress: OnProgress;
  readonly onRestarted: () => void;
  readonly lifetime: Lifetime;
}

export async function startSimulator(
  runtime: StackRuntime,
  simulator: {
    readonly port: number;
    readonly given: Environment;
    readonly overrides: Environment;
  },
): Promise<ManagedProcess> {
  const url = localUrl(simulator.port);
  const limits = simulatorLimits(simulator.port);
  const { SIMULATOR_HOST, SIMULATOR_PORT } = limits;
  const process = createProcess(runtime, {
    name: 'simulator',
    args: simulatorProgram(),
    environment: {
      NODE_COMPILE_CACHE: compileCache,
      ...limits,
      ...simulator.given,
      SIMULATOR_HOST,
      SIMULATOR_PORT,
      ...simulator.overrides,
    },
    probe: () => assertHealthy(`${url}/livez`),
    aliveUrl: `${url}/livez`,
  });
  await startAll(runtime, [process]);
  return process;
}

/** Starts every replica at the same time; resolves when all are ready. */
export async function startServices(
  runtime: StackRuntime,
  addresses: readonly ServiceAddress[],
  surroundingsOf: (address: ServiceAddress) => ServiceSurroundings,
): Promise<readonly StackService[]> {
  const services = addresses.map((address): StackService => {
    const { name, service, httpPort, publicPort, operatorPort } = address;
    const url = localUrl(httpPort);
    const publicUrl = publicPort === null ? null : localUrl(publicPort);
    const operatorUrl = operatorPort === null ? null : localUrl(operatorPort);
    const environment = { ...serviceEnvironment(address, surroundingsOf(address)) };
    const args = [...serviceProgram(service, runtime.root)];
    const process = createProcess(runtime, {
      name,
      args,
      environment,
      probe: async () => {
        await assertHealthy(`${url}/readyz`);
        if (publicUrl !== null) await assertListening(publicUrl);
      },
      aliveUrl: `${url}/livez`,
    });
    const runFrom = (root: string) =>
      void args.splice(0, args.length, ...serviceProgram(service, root));
    return Object.assign(process, { service, url, publicUrl, operatorUrl, environment, runFrom });
  });
  await startAll(runtime, services);
  return services;
}

/** Where each service is reached by the others: its only replica, or a balancer before several. */
export async function openInternalUrls(
  addresses: readonly ServiceAddress[],
  { lifetime }: StackRuntime,
): Promise<Readonly<Record<ServiceName, string>>> {
  const urls: Partial<Record<ServiceName, string>> = {};
  for (const service of serviceNames) {
    const live = addresses.filter(({ environment }) => environment === 'live');
    const ports = live.filter((one) => one.service === service).map((one) => one.httpPort);
    const [only = 0] = ports;
    if (ports.length === 1) {
      urls[service] = localUrl(only);
      continue;
    }
    const balancer = await balanceConnections(ports);
    lifetime.defer('balancer', () => balancer.close());
    urls[service] = localUrl(balancer.port);
  }
  return urls as Readonly<Record<ServiceName, string>>;
}

interface Program {
  readonly name: string;
  readonly args: readonly string[];
  readonly environment: Environment;
  readonly probe: () => Promise<void>;
  /** Responds with 503 when only a new process helps. */
  readonly aliveUrl: string;
}

function createProcess(runtime: StackRuntime, { aliveUrl, ...program }: Program): ManagedProcess {
  const { logsDir, onProgress, onRestarted } = runtime;
  return new ManagedProcess({
    ...program,
    command: process.execPath,
    cwd: repositoryRoot,
    logFile: logPath(logsDir, program.name),
    watch: (signal) => watchLiveness(aliveUrl, signal),
    onProgress,
    onRestarted,
  });
}

async function startAll(
  { lifetime }: StackRuntime,
  processes: readonly ManagedProcess[],
): Promise<void> {
  lifetime.defer('processes', async () => {
    await Promise.all(processes.map((one) => one.stop()));
  });
  for (const { logFile } of processes) rotateLog(logFile);
  await Promise.all(processes.map((one) => one.start()));
}
