import { ProvisionError, sentenceOf } from '@inventory/backends/provision-error';
import { type ServiceName, serviceNames } from '@inventory/contracts/topics';
import { balanceConnections } from './balance-connections.ts';
import { launchService } from './launch-service.ts';
import { lastProblem, logPath } from './log-file.ts';
import type { Reporter } from './report.ts';
import {
  compileCache,
  repositoryRoot,
  serviceProgram,
  shownPath,
  simulatorProgram,
} from './repository-root.ts';
import { localUrl, type ServiceAddress } from './service-address.ts';
import {
  type Environment,
  type ServiceSurroundings,
  serviceEnvironment,
} from './service-environment.ts';
import { simulatorLimits } from './simulator-settings.ts';
import type { StackPart, StackService } from './stack.ts';
import type { StopStages } from './stop-stages.ts';
import { type SupervisedPart, supervisePart } from './supervise-part.ts';

/** What the processes of a stack have in common. */
export interface StackRuntime {
  readonly logsDir: string;
  readonly report: Reporter;
  readonly onReplaced: () => void;
  readonly stages: StopStages;
}

/** A program that ends this often in a row before it was ever ready will not become so. */
const firstFailuresMax = 3;

export async function startSimulator(
  runtime: StackRuntime,
  simulator: {
    readonly port: number;
    readonly given: Environment;
    readonly overrides: Environment;
  },
): Promise<StackPart> {
  const url = localUrl(simulator.port);
  const limits = simulatorLimits(simulator.port);
  const { SIMULATOR_HOST, SIMULATOR_PORT } = limits;
  const supervised = supervise(runtime, {
    label: 'simulator',
    args: simulatorProgram(),
    environment: {
      NODE_COMPILE_CACHE: compileCache,
      ...limits,
      ...simulator.given,
      SIMULATOR_HOST,
      SIMULATOR_PORT,
      ...simulator.overrides,
    },
    readyUrl: `${url}/livez`,
    aliveUrl: `${url}/livez`,
    listeningUrl: null,
  });
  await firstStart(supervised, runtime);
  return supervised.part;
}

/** Starts every replica at the same time; resolves when all are ready. */
export async function startServices(
  runtime: StackRuntime,
  addresses: readonly ServiceAddress[],
  surroundingsOf: (service: ServiceName) => ServiceSurroundings,
): Promise<readonly StackService[]> {
  const services = addresses.map((address) => {
    const url = localUrl(address.httpPort);
    const publicUrl = address.publicPort === null ? null : localUrl(address.publicPort);
    const supervised = supervise(runtime, {
      label: address.label,
      args: serviceProgram(address.service),
      environment: serviceEnvironment(address, surroundingsOf(address.service)),
      readyUrl: `${url}/readyz`,
      aliveUrl: `${url}/livez`,
      listeningUrl: publicUrl,
    });
    const logFile = logPath(runtime.logsDir, address.label);
    const own = { service: address.service, url, publicUrl, logFile };
    // Onto the part itself: a copy would lose that `pid` is read when it is asked for.
    return { supervised, service: Object.assign(supervised.part, own) };
  });
  await Promise.all(services.map(({ supervised }) => firstStart(supervised, runtime)));
  return services.map(({ service }) => service);
}

/** Where each service is reached by the others: its only replica, or a balancer before several. */
export async function openInternalUrls(
  addresses: readonly ServiceAddress[],
  stages: StopStages,
): Promise<Readonly<Record<ServiceName, string>>> {
  const urls: Partial<Record<ServiceName, string>> = {};
  for (const service of serviceNames) {
    const ports = addresses.filter((one) => one.service === service).map((one) => one.httpPort);
    const [only = 0] = ports;
    if (ports.length === 1) {
      urls[service] = localUrl(only);
      continue;
    }
    const balancer = await balanceConnections(ports);
    stages.add(() => balancer.close());
    urls[service] = localUrl(balancer.port);
  }
  return urls as Readonly<Record<ServiceName, string>>;
}

interface Program {
  readonly label: string;
  readonly args: readonly string[];
  readonly environment: Environment;
  readonly readyUrl: string;
  readonly aliveUrl: string;
  readonly listeningUrl: string | null;
}

function supervise(runtime: StackRuntime, program: Program): SupervisedPart {
  const { logsDir, report, onReplaced, stages } = runtime;
  const { label } = program;
  const logFile = logPath(logsDir, label);
  const launch = () => launchService({ ...program, cwd: repositoryRoot, logFile });
  const supervised = supervisePart({ label, launch, logFile, report, onReplaced });
  stages.add(async (abruptly) => {
    await supervised.process.stop(abruptly);
    report({ tone: 'step', sentence: `${label} stopped.` });
  });
  return supervised;
}

async function firstStart({ part, process }: SupervisedPart, runtime: StackRuntime): Promise<void> {
  try {
    await process.start(firstFailuresMax);
  } catch (error) {
    const logFile = logPath(runtime.logsDir, part.label);
    const problem = lastProblem(logFile);
    const said = problem === null ? '' : ` It said: ${problem}`;
    throw new ProvisionError(
      `${part.label} cannot be started: it ${sentenceOf(error)}.${said}\nIts log: ${shownPath(logFile)}`,
    );
  }
}
