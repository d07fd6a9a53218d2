import { randomUUID } from 'node:crypto';
import type { Stack } from '@inventory/local-stack/stack';
import { forEachLimited } from '@inventory/runtime/concurrency';
import { Agent, request } from 'undici';
import { createAccount, createProject, issueKey, operatorOf } from './project.ts';

/** A customer of a stack, with credits and no rate limit worth the name. */
export interface Customer {
  readonly accountId: string;
  readonly projectId: string;
  readonly apiKey: string;
  /** Issues further Credentials of the Project; their secrets. */
  issueKeys(count: number): Promise<string[]>;
  /** Asks the public API; rejects on any status of 400 and above. */
  ask(
    method: 'GET' | 'POST',
    path: string,
    body?: object,
  ): Promise<{ status: number; body: Buffer }>;
  /** Posts a refresh and returns its id. */
  refresh(inventory: Inventory): Promise<string>;
  /** Resolves with the record once the refresh is completed. */
  completed(
    refreshId: string,
  ): Promise<{ outcome: string; requested_at: string; completed_at: string }>;
  close(): Promise<void>;
}

export interface Inventory {
  readonly platformId: string;
  readonly appId: number;
  readonly contextId: number;
}

const issuedAtOnce = 16;
const credits = 100_000_000;
/** Status answers as soon as the refresh is terminal. */
const waitSeconds = 20;

export async function openCustomer(stack: Stack): Promise<Customer> {
  const account_id = await createAccount(stack, { events: false });
  const { projectId, apiKey } = await createProject(stack, account_id);
  const key = { 'idempotency-key': randomUUID() };
  await operatorOf(stack).call('topUp', { account_id, amount: credits, ...key });
  async function issueKeys(count: number): Promise<string[]> {
    const secrets: string[] = [];
    await forEachLimited(Array(count).keys(), issuedAtOnce, async () => {
      secrets.push(await issueKey(stack, projectId));
    });
    return secrets;
  }
  return { projectId, issueKeys, ...callsOf(stack, account_id, apiKey) };
}

function callsOf(
  stack: Stack,
  accountId: string,
  apiKey: string,
): Omit<Customer, 'projectId' | 'issueKeys'> {
  const agent = new Agent({ connections: 256, pipelining: 1 });

  const ask: Customer['ask'] = async (method, path, body) => {
    const answer = await request(new URL(path, stack.gatewayUrl), {
      method,
      dispatcher: agent,
      headers: {
        'x-api-key': apiKey,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      body: body ? JSON.stringify(body) : null,
    });
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    if (answer.statusCode >= 400) throw new Error(`${path}: ${answer.statusCode} ${bytes}`);
    return { status: answer.statusCode, body: bytes };
  };

  return {
    accountId,
    apiKey,
    ask,
    async refresh(inventory) {
      const { body } = await ask('POST', `${inventoryPath(inventory)}/refresh`, {
        max_credits: 125,
      });
      return (JSON.parse(body.toString()) as { data: { refresh_id: string } }).data.refresh_id;
    },
    async completed(refreshId) {
      for (;;) {
        const { body } = await ask(
          'GET',
          `/v2/platform/inventory-refreshes/${refreshId}?wait=${waitSeconds}`,
        );
        const { data } = JSON.parse(body.toString()) as {
          data: { state: string; outcome: string; requested_at: string; completed_at: string };
        };
        if (data.state === 'completed') return data;
      }
    },
    close: () => agent.close(),
  };
}

export function inventoryPath({ platformId, appId, contextId }: Inventory): string {
  return `/v2/platform/users/${platformId}/inventory/${appId}/${contextId}`;
}

export function v1Path({ platformId, appId, contextId }: Inventory): string {
  return `/api/v1/inventory/${platformId}/${appId}/${contextId}`;
}
