import type { Stack } from '@inventory/local-stack/stack';
import { connectMongo } from '@inventory/mongo/connect';
import { forEachLimited } from '@inventory/runtime/concurrency';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { Agent, request } from 'undici';
import { openBus, silentLogger } from './bench-bus.ts';
import { createAccount, createProject, type Project } from './project.ts';
import type { HookReport } from './yardsticks/hook-receivers.ts';
import { startYardstick } from './yardsticks/start-yardstick.ts';

/** Receivers of webhooks in a process of their own. */
export async function startReceivers() {
  const yardstick = await startYardstick('hook-receivers', []);
  return {
    url: `http://127.0.0.1:${yardstick.ready}`,
    mark: () => yardstick.ask<string>({ do: 'mark' }),
    report: () => yardstick.ask<HookReport>({ do: 'report' }),
    stop: () => yardstick.stop(),
  };
}

export type Receivers = Awaited<ReturnType<typeof startReceivers>>;

const subscribedAtOnce = 8;

/** Each Project with an account of its own and this many endpoints. */
export async function subscribeProjects(
  stack: Stack,
  count: number,
  endpoints: readonly string[],
): Promise<Project[]> {
  const agent = new Agent({ connections: subscribedAtOnce });
  const projects: Project[] = [];
  await forEachLimited(Array(count).keys(), subscribedAtOnce, async () => {
    projects.push(await subscribeProject(stack, agent, endpoints));
  });
  await agent.close();
  return projects;
}

async function subscribeProject(
  stack: Stack,
  dispatcher: Agent,
  endpoints: readonly string[],
): Promise<Project> {
  const account = await createAccount(stack, { events: true });
  const project = await createProject(stack, account);
  for (const url of endpoints) {
    const path = `/v2/projects/${project.projectId}/webhook-endpoints`;
    const created = await request(new URL(path, stack.gatewayUrl), {
      method: 'POST',
      dispatcher,
      headers: { 'x-api-key': project.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ url, types: ['inventory.refresh.completed'] }),
    });
    const response = await created.body.text();
    if (created.statusCode !== 201) throw new Error(`no endpoint: ${response}`);
  }
  return project;
}

/** Announces terminal refreshes as the collector does. */
export async function openCompletions(stack: Stack) {
  const bus = await openBus(stack.kafkaBrokers, stack.topicPrefix);
  return {
    announce: (projects: readonly Project[]) => bus.publish(projects.map(completion)),
    close: () => bus.close(),
  };
}

export type Completions = Awaited<ReturnType<typeof openCompletions>>;

function completion(of: Project) {
  const refreshId = systemIdentifiers.uuidV7();
  return {
    type: 'refresh.completed.v1',
    id: `completed:${refreshId}`,
    body: {
      refreshId,
      accountId: of.accountId,
      projectId: of.projectId,
      outcome: 'private',
      scope: { platform_id: '76561198000000017', app_id: 730, context_id: 2 },
      revisionId: null,
      previousRevisionId: null,
      completedAtMs: Date.now(),
      watchId: null,
    },
  } as const;
}

/** What the event-stream has stored. */
export async function openStored(stack: Stack) {
  const { db, close } = await connectMongo({
    uri: stack.mongodbUri,
    database: stack.databaseOf('event-stream'),
    service: 'bench',
    logger: silentLogger,
  });
  return {
    /** Events in the logs of these Projects. */
    countEvents: (projects: readonly Project[]) =>
      db
        .collection('projectLog')
        .countDocuments({ projectId: { $in: projects.map((one) => one.projectId) } }),
    /** When each event of a Project was appended to its log. */
    async appendedAt({ projectId: of }: Project): Promise<ReadonlyMap<string, number>> {
      const entries = await db
        .collection<{ event: { id: string }; appendedAtMs: number }>('projectLog')
        .find({ projectId: of }, { projection: { 'event.id': 1, appendedAtMs: 1 } })
        .toArray();
      return new Map(entries.map(({ event, appendedAtMs }) => [event.id, appendedAtMs]));
    },
    close,
  };
}

export type Stored = Awaited<ReturnType<typeof openStored>>;
