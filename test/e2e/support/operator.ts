import type { Environment } from '@inventory/contracts/environment';
import { type StatementRow, statementRow } from '@inventory/contracts/internal/ledger';
import { type GrantedPermission, inventoryPermissions } from '@inventory/contracts/vocabulary';
import type { Stack } from '@inventory/local-stack/stack';
import type { OperationInput, OperationResponse } from '@inventory/operator-client/operation-types';
import {
  createOperatorClient,
  type OperatorClient,
} from '@inventory/operator-client/operator-client';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { playCredits } from '../../../services/gateway/src/sandbox/play-credits.ts';
import { callOnce } from '../../support/call-once.ts';
import { expectOperatorDocumented } from '../../support/operator-contract.ts';
import { createPublicApi, type PublicApi } from './public-api.ts';

export interface CustomerOptions {
  readonly environment?: Environment;
  readonly credits?: number;
  /** Null keeps the product's own limit. */
  readonly requestsPerMinute?: number | null;
}

export interface Credential {
  readonly credentialId: string;
  readonly secret: string;
  readonly api: PublicApi;
}

/** An account with one Project and one Credential, as an operator makes it for a new customer. */
export interface Customer extends Credential {
  readonly accountId: string;
  readonly projectId: string;
}

export interface Balance {
  readonly total: number;
  readonly held: number;
  readonly available: number;
}

/** The operator API of the first gateway. */
export interface Operator {
  /** Rejects when the call is refused, or, by default, when its answer differs from the operator document. */
  readonly call: OperatorClient['call'];
  newCustomer(options?: CustomerOptions): Promise<Customer>;
  newProject(accountId: string): Promise<string>;
  newCredential(projectId: string, options?: NewCredential): Promise<Credential>;
  topUp(accountId: string, amount: number): Promise<void>;
  /** Requests a minute of the account and of its Service account. */
  limitRate(accountId: string, perMinute: number): Promise<void>;
  /** Units a month of a subscription; null pays with credits. */
  setFunding(accountId: string, unitsPerMonth: number | null): Promise<void>;
  setSpendCap(projectId: string, cap: number | null): Promise<void>;
  switchEvents(accountId: string, enabled: boolean): Promise<void>;
  revoke(credentialId: string): Promise<void>;
  balance(accountId: string): Promise<Balance>;
  openHolds(accountId: string): Promise<readonly { readonly refresh_id: string }[]>;
  /** Every row of the account, oldest first. */
  statement(accountId: string): Promise<StatementRow[]>;
  verify(): Promise<OperationResponse<'verifyLedger'>>;
}

interface NewCredential
  extends Omit<Partial<OperationInput<'issueCredential'>>, 'project_id' | 'scopes'> {
  readonly scopes?: readonly string[];
}
export type OperatorAccess = Pick<Stack, 'gatewayUrl' | 'operatorUrl' | 'operatorToken'>;

const unlimited = 1_000_000;
const patienceMs = 600_000;

function newKey() {
  return { 'idempotency-key': systemIdentifiers.uuidV7() };
}

export function createOperator(stack: OperatorAccess, fetch = fetchOnce): Operator {
  const { call } = createOperatorClient({
    url: stack.operatorUrl,
    token: stack.operatorToken,
    timeoutMs: patienceMs,
    fetch,
  });

  async function newCredential(project_id: string, options: NewCredential = {}) {
    const scopes = (options.scopes ?? inventoryPermissions) as readonly GrantedPermission[];
    const wanted = { project_id, ...options, scopes };
    const { credential_id, secret } = await call('issueCredential', wanted);
    return { credentialId: credential_id, secret, api: createPublicApi(stack.gatewayUrl, secret) };
  }

  async function newProject(account_id: string): Promise<string> {
    return (await call('createProject', { account_id })).project_id;
  }

  async function topUp(account_id: string, amount: number): Promise<void> {
    await call('topUp', { account_id, amount, reason: 'test', ...newKey() });
  }

  /** That of a sandbox is of the whole account, too. */
  async function limitRate(account_id: string, perMinute: number): Promise<void> {
    const limits = { rate_limit_per_minute: perMinute, traffic_limit_per_minute: perMinute };
    await call('changeAccount', { account_id, ...limits });
  }

  /** Without its play credits, which it has once a day. */
  async function newSandbox({ account_id }: { readonly account_id: string }) {
    const { account } = await call('createSandbox', { account_id });
    const spent = { account_id: account.account_id, amount: -playCredits, reason: 'test' };
    await call('adjust', { ...spent, ...newKey() });
    return account;
  }

  return {
    call,
    newCredential,
    newProject,
    limitRate,
    topUp,
    async newCustomer({
      environment = 'live',
      credits = 1_000_000,
      requestsPerMinute = unlimited,
    } = {}) {
      const parent = await call('createAccount', { name: 'Customer' });
      const { account_id } = environment === 'live' ? parent : await newSandbox(parent);
      const projectId = await newProject(account_id);
      if (requestsPerMinute !== null) {
        await limitRate(account_id, requestsPerMinute);
      }
      if (credits > 0) await topUp(account_id, credits);
      return { accountId: account_id, projectId, ...(await newCredential(projectId)) };
    },
    async setFunding(account_id, units_per_month) {
      const common = { account_id, ...newKey() };
      if (units_per_month === null) await call('setFunding', { ...common, mode: 'credits' });
      else await call('setFunding', { ...common, mode: 'subscription', units_per_month });
    },
    async setSpendCap(project_id, cap) {
      await call('setSpendCap', { project_id, cap, ...newKey() });
    },
    async switchEvents(account_id, events_enabled) {
      await call('changeAccount', { account_id, events_enabled });
    },
    async revoke(credential_id) {
      await call('revokeCredential', { credential_id });
    },
    async balance(account_id) {
      const { balances } = await call('readBalance', { account_id });
      const credits = balances.find(({ asset }) => asset === 'credits');
      if (!credits) throw new Error('the account has no credits row');
      return { total: credits.total, held: credits.held, available: credits.available };
    },
    openHolds: async (account_id) => (await call('listHolds', { account_id, limit: 100 })).items,
    async statement(account_id) {
      const rows: StatementRow[] = [];
      let cursor: string | null | undefined;
      do {
        const part = { account_id, limit: 100, cursor: cursor ?? undefined };
        const page = await call('readStatement', part);
        rows.push(...statementRow.array().parse(page.items));
        cursor = page.next_cursor;
      } while (cursor !== null);
      return rows;
    },
    verify: () => call('verifyLedger', {}),
  };
}

/** On a connection of its own; throws when the answer differs from the operator document. */
async function fetchOnce(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const { method } = request;
  const sent = (await request.text()) || undefined;
  const headers = Object.fromEntries(request.headers);
  const {
    status,
    headers: given,
    text,
  } = await callOnce(request.url, {
    method,
    headers,
    ...(sent === undefined ? {} : { body: JSON.parse(sent) }),
  });
  const contentType = given['content-type'];
  expectOperatorDocumented({ method, path: `${pathname}${search}`, status, contentType, text });
  return new Response(text, { status, headers: { 'content-type': contentType ?? '' } });
}
