import { randomUUID } from 'node:crypto';
import { type SimulatedInventory, sizeInventory } from '@inventory/platform-simulator/scenarios';
import { forEachLimited } from '@inventory/runtime/concurrency';
import { pause } from '@inventory/runtime/wait';
import { Agent, request } from 'undici';
import {
  createAccount,
  createProject,
  issueKey,
  operatorOf,
  type Product,
  type Project,
} from './project.ts';

export type Inventory = SimulatedInventory;

/** A customer of a stack, with credits. Its calls reject with {@link Refused}. */
export interface Customer extends Project {
  /** Issues further Credentials of the Project; their secrets. */
  issueKeys(count: number): Promise<string[]>;
  /** The body of a response of the public API. */
  get(path: string): Promise<Buffer>;
  /** Posts a refresh and returns its id. */
  refresh(inventory: Inventory): Promise<string>;
  /** Resolves with the record once the refresh is completed. */
  completed(refreshId: string): Promise<RefreshRecord>;
  /** What is under way rejects. */
  close(): Promise<void>;
}

interface RefreshRecord {
  readonly refresh_id: string;
  readonly state: string;
  readonly requested_at: string;
  readonly completed_at: string;
}

/** A response with a status of 400 or above. */
class Refused extends Error {
  override name = 'Refused';
  /** Not decided, or refused for now. */
  readonly isPassing: boolean;

  constructor(path: string, status: number, body: Buffer) {
    super(`${path}: ${status} ${body}`);
    this.isPassing = [409, 429, 502, 503, 504].includes(status);
  }
}

/** Repeats a request while it is not decided, or refused for now. */
export async function whileRefused<Result>(request: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof Refused && error.isPassing)) throw error;
    }
    await pause(retryMs);
  }
}

const retryMs = 250;
const issuedAtOnce = 16;
const credits = 100_000_000;
/** Status responds as soon as the refresh is terminal. */
const waitSeconds = 20;

export async function openCustomer(stack: Product): Promise<Customer> {
  const account_id = await createAccount(stack, { events: false });
  const project = await createProject(stack, account_id);
  const key = { 'idempotency-key': randomUUID() };
  await operatorOf(stack).call('topUp', { account_id, amount: credits, ...key });
  return customerOf(stack, project);
}

/** The sandbox of a new account, with the limits of one. */
export async function openSandbox(stack: Product): Promise<Customer> {
  const account_id = await createAccount(stack, { events: false });
  const { account, project } = await operatorOf(stack).call('createSandbox', { account_id });
  const apiKey = await issueKey(stack, project.project_id);
  const [accountId, projectId] = [account.account_id, project.project_id];
  return customerOf(stack, { accountId, projectId, apiKey } as Project);
}

function customerOf(stack: Product, project: Project): Customer {
  const dispatcher = new Agent({ connections: 256, pipelining: 1 });

  async function send(
    path: string,
    options: { method?: 'POST'; headers?: Record<string, string>; body?: string } = {},
  ): Promise<Buffer> {
    const headers = { 'x-api-key': project.apiKey, ...options.headers };
    const url = new URL(path, stack.gatewayUrl);
    const { statusCode, body } = await request(url, { ...options, dispatcher, headers });
    const bytes = Buffer.from(await body.arrayBuffer());
    if (statusCode >= 400) throw new Refused(path, statusCode, bytes);
    return bytes;
  }

  return {
    ...project,
    async issueKeys(count) {
      const secrets: string[] = [];
      await forEachLimited(Array(count).keys(), issuedAtOnce, async () => {
        secrets.push(await issueKey(stack, project.projectId));
      });
      return secrets;
    },
    get: (path) => send(path),
    async refresh(inventory) {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ max_credits: 125 });
      const path = `${inventoryPath(inventory)}/refresh`;
      return recordIn(await send(path, { method: 'POST', headers, body })).refresh_id;
    },
    async completed(refreshId) {
      const path = `/v2/platform/inventory-refreshes/${refreshId}?wait=${waitSeconds}`;
      for (;;) {
        const record = recordIn(await send(path));
        if (record.state === 'completed') return record;
      }
    },
    close: () => dispatcher.destroy(),
  };
}

function recordIn(body: Buffer): RefreshRecord {
  return (JSON.parse(body.toString()) as { data: RefreshRecord }).data;
}

let inventories = 0;

/** An inventory that no benchmark has requested. */
export function newInventory(assets: number): Inventory {
  inventories += 1;
  return sizeInventory(assets, inventories);
}

/** The same, of the sandbox. */
export function newSandboxInventory(assets: number): Inventory {
  const { platformId, ...inventory } = newInventory(assets);
  return { ...inventory, platformId: platformId.replace(/^76/, '77') };
}

export function inventoryPath({ platformId, appId, contextId }: Inventory): string {
  return `/v2/platform/users/${platformId}/inventory/${appId}/${contextId}`;
}

export function v1Path({ platformId, appId, contextId }: Inventory): string {
  return `/api/v1/inventory/${platformId}/${appId}/${contextId}`;
}
