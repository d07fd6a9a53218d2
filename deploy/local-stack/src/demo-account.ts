import { AuthenticationError, LimitExceededError } from '@inventory/client/errors';
import { createInventoryClient } from '@inventory/client/inventory-client';
import { permissions } from '@inventory/contracts/vocabulary';
import {
  createOperatorClient,
  type OperatorAccess,
  type OperatorClient,
  OperatorRefused,
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
  readonly account_id: string | null;
  readonly project_id: string | null;
  readonly api_key: string | null;
}

/**
 * The account of an earlier start, or a new one, created through the operator API. Each step is
 * kept before the next one, so that the next start completes an interrupted one.
 */
export async function provideDemoAccount(options: DemoAccountOptions): Promise<DemoAccount> {
  const operator = createOperatorClient(options.operator);
  let kept = readKept(options.file);
  const keep = (step: Partial<Kept>): Kept => {
    kept = { ...kept, ...step };
    writePrivateJson(options.file, kept);
    return kept;
  };
  const state = kept.account_id === null ? null : await readState(operator, kept.account_id);
  if (state === 'suspended') options.onNote('The demo account is suspended.');
  if (state === null) kept = nothingKept;

  const accountId = kept.account_id ?? (await createAccount(operator));
  if (kept.account_id === null) keep({ account_id: accountId });
  await operator.call('changeAccount', { account_id: accountId, events_enabled: true });
  const projectId = kept.project_id ?? (await createProject(operator, accountId));
  if (kept.project_id === null) keep({ project_id: projectId });
  let apiKey = kept.api_key ?? (await issueKey(operator, projectId));
  if (kept.api_key === null) {
    keep({ api_key: apiKey });
  } else if (state === 'active' && (await isRefused(options, projectId, apiKey))) {
    apiKey = await issueKey(operator, projectId);
    keep({ api_key: apiKey });
    options.onNote('The demo key was no longer valid: another one was issued.');
  }
  const creditsAvailable = await fundAccount(operator, accountId, options.newKey());
  return { accountId, projectId, apiKey, creditsAvailable };
}

const nothingKept: Kept = { account_id: null, project_id: null, api_key: null };

function readKept(file: string): Kept {
  const found = readJson(file) ?? {};
  const text = (name: keyof Kept): string | null => {
    const value = found[name];
    return typeof value === 'string' ? value : null;
  };
  return {
    account_id: text('account_id'),
    project_id: text('project_id'),
    api_key: text('api_key'),
  };
}

async function isRefused(
  { gatewayUrl }: DemoAccountOptions,
  projectId: string,
  apiKey: string,
): Promise<boolean> {
  try {
    const client = createInventoryClient({ baseUrl: gatewayUrl, apiKey });
    await client.listRefreshes(projectId, { limit: 1, deadlineMs: keyCheckMs });
    return false;
  } catch (error) {
    if (error instanceof AuthenticationError) return true;
    // Only valid keys are limited.
    if (error instanceof LimitExceededError) return false;
    throw error;
  }
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

/** `active` or `suspended`; null when there is no such account. */
async function readState(operator: OperatorClient, account_id: string): Promise<string | null> {
  try {
    return (await operator.call('readAccount', { account_id })).state;
  } catch (error) {
    if (error instanceof OperatorRefused && error.code === 'account_not_found') return null;
    throw error;
  }
}

async function createAccount(operator: OperatorClient): Promise<string> {
  return (await operator.call('createAccount', { name: 'Demo customer' })).account_id;
}

async function createProject(operator: OperatorClient, account_id: string): Promise<string> {
  return (await operator.call('createProject', { account_id, name: 'Demo project' })).project_id;
}

/** With every permission there is. */
async function issueKey(operator: OperatorClient, project_id: string): Promise<string> {
  const wanted = { project_id, name: 'Demo key', scopes: permissions };
  return (await operator.call('issueCredential', wanted)).secret;
}

async function readCredits(operator: OperatorClient, account_id: string): Promise<number> {
  const { balances } = await operator.call('readBalance', { account_id });
  return balances.find(({ asset }) => asset === 'credits')?.available ?? 0;
}
