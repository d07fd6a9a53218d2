import type { ProjectId } from '@inventory/contracts/ids';
import { writeEvent } from '@inventory/contracts/internal/event-log';
import type { Stack } from '@inventory/local-stack/stack';
import { forEachLimited } from '@inventory/runtime/concurrency';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { openBus } from './bench-bus.ts';
import type { BenchContext } from './benchmark.ts';
import { streamsMax } from './process-usage.ts';
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
      const response = await yardstick.ask<string>({ do: 'open', port, targets, resume });
      if (response !== 'opened') throw new Error(response);
    },
    mark: () => yardstick.ask({ do: 'mark' }),
    report: () => yardstick.ask<ReaderReport>({ do: 'report' }),
    cut: () => yardstick.ask({ do: 'cut' }),
    stop: () => yardstick.stop(),
  };
}

interface FollowedProject extends StreamTarget, Project {}

const createdAtOnce = 24;

/** So many, and one whose events the event-stream appends. */
async function createFollowed(stack: Stack, count: number): Promise<FollowedProject[]> {
  const account = await createAccount(stack, { events: true });
  const projects: FollowedProject[] = [];
  await forEachLimited(Array(count + 1).keys(), createdAtOnce, async () => {
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
      projectId,
      position,
      logEpoch: 1,
      appendedAtMs: null,
      event: writeEvent({
        id: `evt_${refreshId}`,
        version: 1,
        occurredAtMs: Date.now(),
        projectId,
        type: 'inventory.refresh.completed',
        data: {
          refreshId,
          state: 'completed',
          outcome,
          scope,
          revisionId: null,
          watchId: null,
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

/** Streams that one gateway holds here at most. */
export const heldMax = Math.min(50_000, streamsMax());
/** The most of them in one Project. */
export const heldPerProjectMax = 1_000;
/** To the public port, beside the streams. */
const otherConnections = 100;
const connectionsMax = String(3 * heldMax + otherConnections);

const stackOptions = {
  serviceEnvironment: {
    gateway: {
      STREAMS_PER_PROJECT_MAX: String(heldPerProjectMax),
      // Those that were just cut, and one of the Project that is more.
      STREAMS_MAX: String(2 * heldMax + 1),
      CONNECTIONS_MAX: connectionsMax,
      CONNECTIONS_PER_PEER_MAX: connectionsMax,
      CUSTOMER_REQUESTS_PER_MINUTE: '1000000',
      // None ends by its age while it is measured.
      STREAM_LIFE_MAX_MS: '3600000',
      NODE_OPTIONS: `--require=${require.resolve('./yardsticks/collect-garbage.js')}`,
    },
  },
};

/** The Projects of each stack. */
const created = new WeakMap<Stack, readonly FollowedProject[]>();

/** Runs `work` with a gateway that held no stream before. */
export function withFollowers<Result>(
  { withStack, quick }: BenchContext,
  work: (followers: Followers) => Promise<Result>,
): Promise<Result> {
  return withStack(stackOptions, async (stack) => {
    const gateway = stack.services.find(({ service }) => service === 'gateway');
    if (created.has(stack)) await gateway?.restart();
    const followed = created.get(stack) ?? (await createFollowed(stack, quick ? 100 : 5_000));
    created.set(stack, followed);
    const [appended, ...projects] = followed;
    if (appended === undefined) throw new Error('a Project is created');
    const readers = await startReaders();
    const announcer = await openAnnouncer(stack);
    try {
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
