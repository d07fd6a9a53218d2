import { accountId, projectId } from '@inventory/contracts/ids';
import type { Stack } from '@inventory/local-stack/stack';
import { createKafkaBus } from '@inventory/messaging/kafka/kafka-bus';
import { connectMongo } from '@inventory/mongo/connect';
import { createOperatorClient } from '@inventory/operator-client/operator-client';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { createLogger } from '@inventory/runtime/logger';
import { Agent, request } from 'undici';
import type { HookReport } from './yardsticks/hook-receivers.ts';
import { startYardstick } from './yardsticks/start-yardstick.ts';

const logger = createLogger({ service: 'bench', level: 'silent' });

/** A Project and its account. */
export interface SubscribedProject {
  readonly accountId: `acc_${string}`;
  readonly projectId: `prj_${string}`;
}

/** Receivers of webhooks in a process of their own. */
export async function startReceivers() {
  const yardstick = await startYardstick('hook-receivers', []);
  return {
    url: `http://127.0.0.1:${yardstick.ready}`,
    pid: yardstick.pid,
    mark: () => yardstick.ask<string>({ do: 'mark' }),
    report: () => yardstick.ask<HookReport>({ do: 'report' }),
    stop: () => yardstick.stop(),
  };
}

export type Receivers = Awaited<ReturnType<typeof startReceivers>>;

/** Each Project with an account of its own and this many endpoints. */
export async function subscribeProjects(
  stack: Stack,
  count: number,
  endpoints: readonly string[],
): Promise<SubscribedProject[]> {
  const agent = new Agent();
  try {
    const projects: SubscribedProject[] = [];
    while (projects.length < count) projects.push(await subscribeProject(stack, agent, endpoints));
    return projects;
  } finally {
    await agent.close();
  }
}

async function subscribeProject(
  stack: Stack,
  dispatcher: Agent,
  endpoints: readonly string[],
): Promise<SubscribedProject> {
  const operator = createOperatorClient({ url: stack.operatorUrl, token: stack.operatorToken });
  const { account_id } = await operator.call('createAccount', { name: 'benchmark' });
  await operator.call('changeAccount', { account_id, events_enabled: true });
  const { project_id } = await operator.call('createProject', { account_id });
  const scopes = ['customer.webhooks.manage.v1'] as const;
  const { secret } = await operator.call('issueCredential', { project_id, scopes });
  for (const url of endpoints) {
    const path = `/v2/projects/${project_id}/webhook-endpoints`;
    const created = await request(new URL(path, stack.gatewayUrl), {
      method: 'POST',
      dispatcher,
      headers: { 'x-api-key': secret, 'content-type': 'application/json' },
      body: JSON.stringify({ url, types: ['inventory.refresh.completed'] }),
    });
    const answer = await created.body.text();
    if (created.statusCode !== 201) throw new Error(`no endpoint: ${answer}`);
  }
  return { accountId: accountId.parse(account_id), projectId: projectId.parse(project_id) };
}

/** Announces terminal refreshes as the collector does. */
export async function openCompletions(stack: Stack) {
  const bus = await createKafkaBus({
    brokers: stack.kafkaBrokers.split(','),
    topicPrefix: stack.topicPrefix,
    service: 'bench',
    logger,
    identifiers: systemIdentifiers,
  });
  return {
    announce: (projects: readonly SubscribedProject[]) => bus.publish(projects.map(completion)),
    close: () => bus.close(),
  };
}

export type Completions = Awaited<ReturnType<typeof openCompletions>>;

function completion(of: SubscribedProject) {
  const refreshId = systemIdentifiers.uuidV7();
  return {
    type: 'refresh.completed.v1',
    id: `completed:${refreshId}`,
    body: {
      refresh_id: refreshId,
      account_id: of.accountId,
      project_id: of.projectId,
      outcome: 'private',
      scope: { platform_id: '76561198000000017', app_id: 730, context_id: 2 },
      revision_id: null,
      completed_at: new Date().toISOString(),
    },
  } as const;
}

/** What the event-stream has stored. */
export async function openStored(stack: Stack) {
  const { db, close } = await connectMongo({
    uri: stack.mongodbUri,
    database: stack.databaseOf('event-stream'),
    service: 'bench',
    logger,
  });
  return {
    /** Events in the logs of these Projects. */
    countEvents: (projects: readonly SubscribedProject[]) =>
      db
        .collection('projectLog')
        .countDocuments({ projectId: { $in: projects.map((one) => one.projectId) } }),
    /** When each event of a Project was appended to its log. */
    async appendedAt({ projectId: of }: SubscribedProject): Promise<ReadonlyMap<string, number>> {
      const entries = await db
        .collection<{ event: { id: string }; appendedAt: Date }>('projectLog')
        .find({ projectId: of }, { projection: { 'event.id': 1, appendedAt: 1 } })
        .toArray();
      return new Map(entries.map(({ event, appendedAt }) => [event.id, appendedAt.getTime()]));
    },
    close,
  };
}

export type Stored = Awaited<ReturnType<typeof openStored>>;
