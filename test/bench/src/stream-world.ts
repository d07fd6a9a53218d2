import type { Backends } from '@inventory/backends/provision-backends';
import { accountId, projectId } from '@inventory/contracts/ids';
import { writeEvent } from '@inventory/contracts/internal/event-log';
import type { Stack } from '@inventory/local-stack/stack';
import { createKafkaBus } from '@inventory/messaging/kafka/kafka-bus';
import { createOperatorClient } from '@inventory/operator-client/operator-client';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { createLogger } from '@inventory/runtime/logger';
import { withStack } from './bench-stack.ts';
import { listenerOn } from './process-usage.ts';
import type { Side } from './stream-side.ts';
import type { SubscribedProject } from './webhook-world.ts';
import { startYardstick } from './yardsticks/start-yardstick.ts';
import type { ReaderReport, StreamTarget } from './yardsticks/stream-readers.ts';

/** Clients of streams in a process of their own. */
export interface Readers {
  readonly pid: number;
  open(port: number, targets: readonly StreamTarget[], resume?: boolean): Promise<void>;
  mark(): Promise<void>;
  report(): Promise<ReaderReport>;
  stall(count: number): Promise<void>;
  cut(): Promise<void>;
  stop(): Promise<void>;
}

export async function startReaders(): Promise<Readers> {
  const yardstick = await startYardstick('stream-readers', []);
  return {
    pid: yardstick.pid,
    async open(port, targets, resume = false) {
      const answer = await yardstick.ask<string>({ do: 'open', port, targets, resume });
      if (answer !== 'opened') throw new Error(answer);
    },
    mark: () => yardstick.ask({ do: 'mark' }),
    report: () => yardstick.ask<ReaderReport>({ do: 'report' }),
    stall: (count) => yardstick.ask({ do: 'stall', count }),
    cut: () => yardstick.ask({ do: 'cut' }),
    stop: () => yardstick.stop(),
  };
}

interface FollowedProject extends StreamTarget, SubscribedProject {}

const createdAtOnce = 24;

/** Projects with a Credential each that may read their events. */
async function createProjects(stack: Stack, count: number): Promise<FollowedProject[]> {
  const operator = createOperatorClient({ url: stack.operatorUrl, token: stack.operatorToken });
  const { account_id } = await operator.call('createAccount', { name: 'benchmark' });
  const change = { rate_limit_per_minute: 1_000_000, events_enabled: true };
  await operator.call('changeAccount', { account_id, ...change });
  const projects: FollowedProject[] = [];
  const worker = async (): Promise<void> => {
    while (projects.length < count) {
      const { project_id } = await operator.call('createProject', { account_id });
      const scopes = ['customer.events.read.v1'] as const;
      const { secret } = await operator.call('issueCredential', { project_id, scopes });
      const path = `/v2/projects/${project_id}/events/stream`;
      projects.push({
        ...{ accountId: accountId.parse(account_id), projectId: projectId.parse(project_id) },
        ...{ path, apiKey: secret },
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(createdAtOnce, count) }, worker));
  return projects.slice(0, count);
}

/** Announces events as the event-stream does, each Project's in order. */
async function openAnnouncer(stack: Stack, topicPrefix: string) {
  const bus = await createKafkaBus({
    brokers: stack.kafkaBrokers.split(','),
    topicPrefix,
    service: 'bench',
    logger: createLogger({ service: 'bench', level: 'silent' }),
    identifiers: systemIdentifiers,
  });
  const positions = new Map<string, number>();
  return {
    announce(projectIds: readonly `prj_${string}`[]): Promise<void> {
      return bus.publish(
        projectIds.map((projectId) => {
          const position = (positions.get(projectId) ?? 0) + 1;
          positions.set(projectId, position);
          return appended(projectId, position);
        }),
      );
    },
    close: () => bus.close(),
  };
}

const outcome = 'complete_changed';
const scope = { platform_id: '76561198000000017', app_id: 730, context_id: 2 };

function appended(projectId: `prj_${string}`, position: number) {
  const refreshId = systemIdentifiers.uuidV7();
  return {
    type: 'project.event-appended.v1',
    id: `evt_${refreshId}`,
    body: {
      project_id: projectId,
      position,
      log_epoch: 1,
      event: writeEvent({
        id: `evt_${refreshId}`,
        version: 1,
        occurred_at: new Date().toISOString(),
        project_id: projectId,
        type: 'inventory.refresh.completed',
        data: { refresh_id: refreshId, state: 'completed', outcome, scope, revision_id: null },
        links: { refresh: `/v2/platform/inventory-refreshes/${refreshId}` },
      }),
    },
  } as const;
}

/** A gateway, clients in a process of their own, and the Projects that they follow. */
export interface Followers {
  readonly side: Side;
  readonly readers: Readers;
  readonly projects: readonly FollowedProject[];
  /** A Project more, whose events the event-stream appends. */
  readonly appended: FollowedProject;
  readonly stack: Stack;
}

/** To the public port, beside the streams. */
const otherConnections = 100;
const partsOfStreams: readonly string[] = ['gateway', 'event-stream'];

/** Runs `work` with a stack of its own, whose other services are stopped: the machine is small. */
export function withFollowers<Result>(
  backends: Backends,
  options: {
    readonly name: string;
    readonly projects: number;
    readonly streamsMax: number;
    readonly streamsPerProjectMax: number;
  },
  work: (followers: Followers) => Promise<Result>,
): Promise<Result> {
  const { name } = options;
  const serviceEnvironment = {
    gateway: {
      STREAMS_PER_PROJECT_MAX: String(options.streamsPerProjectMax),
      // One of the Project that is more.
      STREAMS_MAX: String(options.streamsMax + 1),
      CONNECTIONS_MAX: String(2 * options.streamsMax + otherConnections),
      CONNECTIONS_PER_PEER_MAX: String(2 * options.streamsMax + otherConnections),
      CUSTOMER_REQUESTS_PER_MINUTE: '1000000',
      // None ends by its age while it is measured.
      STREAM_LIFE_MAX_MS: '3600000',
      NODE_OPTIONS: `--require=${require.resolve('./yardsticks/collect-garbage.js')}`,
    },
  };
  return withStack(backends, { name, serviceEnvironment }, async (stack) => {
    const readers = await startReaders();
    const announcer = await openAnnouncer(stack, `bench.${name}.`);
    try {
      const [appended, ...projects] = await createProjects(stack, options.projects + 1);
      if (appended === undefined) throw new Error('a Project is created');
      const idle = stack.services.filter(({ service }) => !partsOfStreams.includes(service));
      await Promise.all(idle.map((service) => service.stop('SIGKILL')));
      const gateway = stack.services.find(({ service }) => service === 'gateway');
      const side: Side = {
        port: Number(new URL(stack.gatewayUrl).port),
        pid: gateway?.pid ?? -1,
        collectsGarbage: true,
        others: brokerOf(stack),
        announce: (targets) =>
          announcer.announce(targets.map((target) => (target as FollowedProject).projectId)),
      };
      return await work({ side, readers, projects, appended, stack });
    } finally {
      await Promise.all([readers.stop(), announcer.close()]);
    }
  });
}

/** The broker, where it runs on this machine. */
function brokerOf({ kafkaBrokers }: Stack): Record<string, number> {
  const pid = listenerOn(Number(/:(\d+)/.exec(kafkaBrokers)?.[1]));
  return pid === null ? {} : { broker: pid };
}
