import { AuthenticationError, LimitExceededError } from '@inventory/client/errors';
import { createInventoryClient } from '@inventory/client/inventory-client';
import { permissions } from '@inventory/contracts/vocabulary';
import {
  createOperatorClient,
  type OperatorAccess,
  type OperatorClient,
} from '@inventory/operator-client/operator-client';
import { readJson, writePrivateJson } from './private-file.ts';

export interface DemoAccount {
  readonly accountId: string;
  readonly projectId: string;
  readonly apiKey: string;
  readonly creditsAvailable: number;
}

export interface DemoAccountOptions {
  readonly operator: OperatorAccess;
  readonly gatewayUrl: string;
  /** Where the account is kept. */
  readonly file: string;
  /** Mints unique keys. */
  readonly newKey: () => string;
  readonly onNote: (sentence: string) => void;
}

const creditsMin = 1_000;
const creditsAdded = 10_000;
/** The caller retries the whole step. */
const keyCheckMs = 5_000;

interface Kept {
  readonly account_id: string;
  readonly project_id: string;
  readonly api_key: string;
}

/** The account of an earlier start while its key is valid, or a new one. */
export async function provideDemoAccount(options: DemoAccountOptions): Promise<DemoAccount> {
  const operator = createOperatorClient(options.operator);
  let kept = readKept(options.file);
  if (kept === null || (await isRefused(options.gatewayUrl, kept))) {
    if (kept !== null) options.onNote('The demo key is no longer valid: there is a new account.');
    kept = await createDemo(operator);
    writePrivateJson(options.file, kept);
  }
  const creditsAvailable = await fundAccount(operator, kept.account_id, options.newKey());
  const { account_id: accountId, project_id: projectId, api_key: apiKey } = kept;
  return { accountId, projectId, apiKey, creditsAvailable };
}

function readKept(file: string): Kept | null {
  const { account_id, project_id, api_key } = readJson(file) ?? {};
  const isText = (value: unknown) => typeof value === 'string';
  return isText(account_id) && isText(project_id) && isText(api_key)
    ? { account_id, project_id, api_key }
    : null;
}

/** Only valid keys are limited. */
async function isRefused(baseUrl: string, { project_id, api_key }: Kept): Promise<boolean> {
  try {
    const client = createInventoryClient({ baseUrl, apiKey: api_key });
    await client.listRefreshes(project_id, { limit: 1, deadlineMs: keyCheckMs });
    return false;
  } catch (error) {
    if (error instanceof AuthenticationError) return true;
    if (error instanceof LimitExceededError) return false;
    throw error;
  }
}

/** With a key that has every permission there is. */
async function createDemo(operator: OperatorClient): Promise<Kept> {
  const { account_id } = await operator.call('createAccount', { name: 'Demo customer' });
  await operator.call('changeAccount', { account_id, events_enabled: true });
  const { project_id } = await operator.call('createProject', { account_id, name: 'Demo project' });
  const wanted = { project_id, name: 'Demo key', scopes: permissions };
  const { secret: api_key } = await operator.call('issueCredential', wanted);
  return { account_id, project_id, api_key };
}

/** Decided by the balance: a top-up whose response was lost is not repeated. */
async function fundAccount(
  operator: OperatorClient,
  accountId: string,
  key: string,
): Promise<number> {
  const available = await readCredits(operator, accountId);
  if (available >= creditsMin) return available;
  await operator.call('topUp', {
    account_id: accountId,
    amount: creditsAdded,
    reason: 'demo credits',
    'idempotency-key': key,
  });
  return readCredits(operator, accountId);
}

async function readCredits(operator: OperatorClient, account_id: string): Promise<number> {
  const { balances } = await operator.call('readBalance', { account_id });
  return balances.find(({ asset }) => asset === 'credits')?.available ?? 0;
}
