import type { Backends } from '@inventory/backends/provision-backends';
import type { ProjectId } from '@inventory/contracts/ids';
import { writeEvent } from '@inventory/contracts/internal/event-log';
import type { Stack } from '@inventory/local-stack/stack';
import { forEachLimited } from '@inventory/runtime/concurrency';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { openBus } from './bench-bus.ts';
import { withStack } from './bench-stack.ts';
import { createAccount, createProject, type Project } from './project.ts';
import { startYardstick } from './yardsticks/start-yardstick.ts';
import type { ReaderReport, StreamTarget } from './yardsticks/stream-readers.ts';

/** A server of streams, ours or a yardstick. */
export interface Side {
  /** Events for some targets, as many as are named. */
  announce(targets: readonly StreamTarget[]): Promise<void> | void;
  readonly port: number;
  readonly pid: number;
  /** It collects its garbage on SIGUSR2. */
  readonly collectsGarbage: boolean;
}

/** Clients of streams in a process of their own. */
export interface Readers {
  open(port: number, targets: readonly StreamTarget[], resume?: boolean): Promise<void>;
  mark(): Promise<void>;
  report(): Promise<ReaderReport>;
  cut(): Promise<void>;
  stop(): Promise<void>;
}

export async function startReaders(): Promise<Readers> {
  const yardstick = await startYardstick('stream-readers', []);
  return {
    async open(port, targets, resume = false) {
      const answer = await yardstick.ask<string>({ do: 'open', port, targets, resume });
      if (answer !== 'opened') throw new Error(answer);
    },
    mark: () => yardstick.ask({ do: 'mark' }),
    report: () => yardstick.ask<ReaderReport>({ do: 'report' }),
    cut: () => yardstick.ask({ do: 'cut' }),
    stop: () => yardstick.stop(),
  };
}

interface FollowedProject extends StreamTarget, Project {}

const createdAtOnce = 24;

async function createFollowed(stack: Stack, count: number): Promise<FollowedProject[]> {
  const account = await createAccount(stack, { events: true });
  const projects: FollowedProject[] = [];
  await forEachLimited(Array(count).keys(), createdAtOnce, async () => {
    const project = await createProject(stack, account);
    projects.push({ ...project, path: `/v2/projects/${project.projectId}/events/stream` });
  });
  return projects;
}

/** Announces events as the event-stream does, each Project's in order. */
async function openAnnouncer(stack: Stack) {
  const bus = await openBus(stack.kafkaBrokers, stack.topicPrefix);
  const positions = new Map<string, number>();
  return {
    announce(projectIds: readonly ProjectId[]): Promise<void> {
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

function appended(projectId: ProjectId, position: number) {
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
        data: {
          refresh_id: refreshId,
          state: 'completed',
          outcome,
          scope,
          revision_id: null,
          watch_id: null,
        },
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
      // Those that were just cut, and one of the Project that is more.
      STREAMS_MAX: String(2 * options.streamsMax + 1),
      CONNECTIONS_MAX: String(3 * options.streamsMax + otherConnections),
      CONNECTIONS_PER_PEER_MAX: String(3 * options.streamsMax + otherConnections),
      CUSTOMER_REQUESTS_PER_MINUTE: '1000000',
      // None ends by its age while it is measured.
      STREAM_LIFE_MAX_MS: '3600000',
      NODE_OPTIONS: `--require=${require.resolve('./yardsticks/collect-garbage.js')}`,
    },
  };
  return withStack(backends, { name, serviceEnvironment }, async (stack) => {
    const readers = await startReaders();
    const announcer = await openAnnouncer(stack);
    try {
      const [appended, ...projects] = await createFollowed(stack, options.projects + 1);
      if (appended === undefined) throw new Error('a Project is created');
      const idle = stack.services.filter(({ service }) => !partsOfStreams.includes(service));
      await Promise.all(idle.map((service) => service.stop('SIGKILL')));
      const gateway = stack.services.find(({ service }) => service === 'gateway');
      const side: Side = {
        port: Number(new URL(stack.gatewayUrl).port),
        pid: gateway?.pid ?? -1,
        collectsGarbage: true,
        announce: (targets) =>
          announcer.announce(targets.map((target) => (target as FollowedProject).projectId)),
      };
      return await work({ side, readers, projects, appended, stack });
    } finally {
      await Promise.all([readers.stop(), announcer.close()]);
    }
  });
}
