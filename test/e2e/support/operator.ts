import {
  balanceView,
  holdList,
  type StatementRow,
  statementRow,
  type VerifyReport,
  verifyReport,
} from '@inventory/contracts/internal/ledger';
import { inventoryPermissions } from '@inventory/contracts/vocabulary';
import type { Stack } from '@inventory/local-stack/stack';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { callOnce } from '../../support/call-once.ts';
import { createPublicApi, type PublicApi } from './public-api.ts';

export interface CustomerOptions {
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

/** The operator API of the first gateway. Every call that is refused throws. */
export interface Operator {
  // biome-ignore lint/suspicious/noExplicitAny: tests look wherever they like.
  call(method: string, path: string, body?: unknown): Promise<any>;
  newCustomer(options?: CustomerOptions): Promise<Customer>;
  newProject(accountId: string): Promise<string>;
  newCredential(projectId: string, options?: Record<string, unknown>): Promise<Credential>;
  balance(accountId: string): Promise<Balance>;
  openHolds(accountId: string): Promise<readonly { refresh_id: string }[]>;
  /** Every row of the account, oldest first. */
  statement(accountId: string): Promise<StatementRow[]>;
  verify(): Promise<VerifyReport>;
}

export type OperatorAccess = Pick<Stack, 'gatewayUrl' | 'operatorUrl' | 'operatorToken'>;

const unlimited = 1_000_000;

export function createOperator(stack: OperatorAccess): Operator {
  const { operatorUrl, operatorToken, gatewayUrl } = stack;

  async function call(method: string, path: string, body?: unknown) {
    const { status, text } = await callOnce(`${operatorUrl}/operator/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${operatorToken}`,
        'content-type': 'application/json',
        'idempotency-key': systemIdentifiers.uuidV7(),
      },
      body,
    });
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
    return JSON.parse(text);
  }

  async function newCredential(projectId: string, options: Record<string, unknown> = {}) {
    const body = { scopes: inventoryPermissions, ...options };
    const { credential_id, secret } = await call(
      'POST',
      `/projects/${projectId}/credentials`,
      body,
    );
    return { credentialId: credential_id, secret, api: createPublicApi(gatewayUrl, secret) };
  }

  async function newProject(accountId: string): Promise<string> {
    return (await call('POST', `/accounts/${accountId}/projects`, {})).project_id;
  }

  return {
    call,
    newCredential,
    newProject,
    async newCustomer({ credits = 1_000_000, requestsPerMinute = unlimited } = {}) {
      const accountId = (await call('POST', '/accounts', { name: 'Customer' })).account_id;
      const projectId = await newProject(accountId);
      if (requestsPerMinute !== null) {
        const body = { limit_per_minute: requestsPerMinute };
        await call('PUT', `/accounts/${accountId}/rate-limit`, body);
      }
      if (credits > 0) {
        await call('POST', `/accounts/${accountId}/top-ups`, { amount: credits, reason: 'test' });
      }
      return { accountId, projectId, ...(await newCredential(projectId)) };
    },
    async balance(accountId) {
      const view = balanceView.parse(await call('GET', `/accounts/${accountId}/balance`));
      const credits = view.balances.find(({ asset }) => asset === 'credits');
      if (!credits) throw new Error('the account has no credits row');
      return { total: credits.total, held: credits.held, available: credits.available };
    },
    async openHolds(accountId) {
      return holdList.parse(await call('GET', `/accounts/${accountId}/holds?limit=100`)).items;
    },
    async statement(accountId) {
      const rows: StatementRow[] = [];
      let cursor: string | null = null;
      do {
        const query: string = cursor === null ? '' : `&cursor=${cursor}`;
        const page = await call('GET', `/accounts/${accountId}/statement?limit=100${query}`);
        rows.push(...statementRow.array().parse(page.items));
        cursor = page.next_cursor;
      } while (cursor !== null);
      return rows;
    },
    verify: async () => verifyReport.parse(await call('POST', '/ledger/verify')),
  };
}
