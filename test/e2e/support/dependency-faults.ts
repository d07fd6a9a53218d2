import type { ManagedProcess } from '@inventory/backends/managed-process';
import { type ServiceName, serviceNames } from '@inventory/contracts/topics';
import { pause } from '@inventory/runtime/wait';
import type { TestReplicaSet } from '@inventory/testkit/replica-set';
import type { FaultyLink, LinkState } from './faulty-link.ts';
import { createSimulatorControl } from './simulator-control.ts';
import type { TestStack } from './test-stack.ts';

export type Dependency = 'the platform' | 'Kafka' | `the MongoDB of ${ServiceName}` | ServiceName;

/**
 * `fails` is an answer that says so, `throttles` one that asks for fewer requests; a set that `elects`
 * has no primary.
 */
export type FaultKind =
  | 'refuses'
  | 'hangs'
  | 'is slow'
  | 'flaps'
  | 'throttles'
  | 'fails'
  | 'elects';

/** The database of one service: a set behind a network. */
export interface FaultySet {
  readonly link: FaultyLink;
  readonly set: TestReplicaSet;
}

export interface Fault {
  begin(): Promise<void>;
  /** Restores the dependency; resolves once it works. */
  end(): Promise<void>;
}

/** Networks between the services and what they depend on. */
export interface FaultyLinks {
  readonly platform: FaultyLink;
  readonly kafka: FaultyLink;
  readonly mongodb: Readonly<Record<ServiceName, FaultySet>>;
}

const flapMs = 1_500;
/** A slow process gets a tenth of its time. */
const slice = { stoppedMs: 450, runMs: 50 } as const;

export function faultsOf(dependency: Dependency): readonly FaultKind[] {
  const common = ['refuses', 'hangs', 'is slow', 'flaps'] as const;
  if (dependency.startsWith('the MongoDB of ')) return [...common, 'elects'];
  return dependency === 'the platform' ? [...common, 'throttles', 'fails'] : common;
}

export function faultOf(
  stack: TestStack,
  links: FaultyLinks,
  dependency: Dependency,
  kind: FaultKind,
): Fault {
  if (dependency === 'the platform') {
    if (kind === 'throttles') return platformFault(stack, { kind: 'throttled' });
    if (kind === 'fails') return platformFault(stack, { kind: 'eresult', code: 20 });
    return linkFault(links.platform, kind);
  }
  if (dependency === 'Kafka') {
    const { kafka } = stack;
    if (!kafka) throw new Error('the stack does not own Kafka');
    return kind === 'refuses' || kind === 'hangs'
      ? processFault(kafka, kind)
      : linkFault(links.kafka, kind);
  }
  const service = serviceNames.find((name) => dependency === name);
  if (service) return processFault(stack.service(service), kind);
  const owner = serviceNames.find((name) => dependency === `the MongoDB of ${name}`);
  if (!owner) throw new Error(`no dependency is named ${dependency}`);
  const { link, set } = links.mongodb[owner];
  return kind === 'elects' ? electionOf(set) : linkFault(link, kind);
}

function electionOf(set: TestReplicaSet): Fault {
  return { begin: async () => set.beginElection(), end: async () => set.endElection() };
}

function platformFault(stack: TestStack, failure: Readonly<Record<string, unknown>>): Fault {
  const control = createSimulatorControl(stack.simulatorUrl);
  return {
    begin: () => control.fail({ failure }),
    end: () => control.call('DELETE', '/faults'),
  };
}

function linkFault(link: FaultyLink, kind: FaultKind): Fault {
  const states: Partial<Record<FaultKind, LinkState>> = {
    refuses: 'refuses',
    hangs: 'hangs',
    'is slow': 'slow',
  };
  const state = states[kind];
  const end = () => link.set('open');
  if (state) return { begin: () => link.set(state), end };
  return repeated(async (ended) => {
    await link.set('refuses');
    await pause(flapMs, ended);
    await link.set('open');
    await pause(flapMs, ended);
  }, end);
}

function processFault(server: ManagedProcess, kind: FaultKind): Fault {
  if (kind === 'refuses') {
    return { begin: () => server.stop('SIGKILL'), end: () => server.start() };
  }
  const resume = async () => server.signal('SIGCONT');
  if (kind === 'hangs') return { begin: async () => server.signal('SIGSTOP'), end: resume };
  if (kind === 'is slow') {
    return repeated(async (ended) => {
      server.signal('SIGSTOP');
      await pause(slice.stoppedMs, ended);
      server.signal('SIGCONT');
      await pause(slice.runMs, ended);
    }, resume);
  }
  return repeated(
    async (ended) => {
      await server.kill('SIGKILL');
      await Promise.race([server.untilReady(), pause(60_000, ended)]);
      await pause(flapMs, ended);
    },
    () => server.untilReady(),
  );
}

/** One round after the other until the fault ends. */
function repeated(
  round: (ended: AbortSignal) => Promise<void>,
  repair: () => Promise<void>,
): Fault {
  const ending = new AbortController();
  let running = Promise.resolve();
  return {
    async begin() {
      running = (async () => {
        while (!ending.signal.aborted) await round(ending.signal);
      })();
    },
    async end() {
      ending.abort();
      await running;
      await repair();
    },
  };
}
