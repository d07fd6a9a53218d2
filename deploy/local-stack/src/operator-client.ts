import { balanceView } from '@inventory/contracts/internal/ledger';
import { permissions } from '@inventory/contracts/vocabulary';
import { CallFailed, callJson, type JsonCall } from './call-json.ts';

/** The little of the operator API that a demo account needs. */
export interface OperatorClient {
  createAccount(name: string): Promise<string>;
  /** `active` or `suspended`; null when there is no such account. */
  accountState(accountId: string): Promise<string | null>;
  /** Lets the account read event streams. */
  enableEvents(accountId: string): Promise<void>;
  createProject(accountId: string, name: string): Promise<string>;
  /** With every permission there is. The secret is shown this once. */
  issueCredential(projectId: string, name: string): Promise<string>;
  topUp(accountId: string, wanted: { amount: number; reason: string; key: string }): Promise<void>;
  availableCredits(accountId: string): Promise<number>;
}

export interface OperatorAccess {
  readonly url: string;
  readonly token: string;
}

export function createOperatorClient({ url, token }: OperatorAccess): OperatorClient {
  async function call(
    method: JsonCall['method'],
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Readonly<Record<string, unknown>>> {
    const answer = await callJson({
      method,
      url: `${url}/operator/v1${path}`,
      headers: { ...headers, authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body }),
    });
    return answer.body;
  }
  return {
    async createAccount(name) {
      return text(await call('POST', '/accounts', { name }), 'account_id');
    },
    async accountState(accountId) {
      try {
        return text(await call('GET', `/accounts/${accountId}`), 'state');
      } catch (error) {
        if (error instanceof CallFailed && error.status === 404) return null;
        throw error;
      }
    },
    async enableEvents(accountId) {
      await call('PUT', `/accounts/${accountId}/events`, { enabled: true });
    },
    async createProject(accountId, name) {
      return text(await call('POST', `/accounts/${accountId}/projects`, { name }), 'project_id');
    },
    async issueCredential(projectId, name) {
      const body = { name, scopes: permissions };
      return text(await call('POST', `/projects/${projectId}/credentials`, body), 'secret');
    },
    async topUp(accountId, { amount, reason, key }) {
      const headers = { 'Idempotency-Key': key };
      await call('POST', `/accounts/${accountId}/top-ups`, { amount, reason }, headers);
    },
    async availableCredits(accountId) {
      const view = balanceView.parse(await call('GET', `/accounts/${accountId}/balance`));
      return view.balances.find(({ asset }) => asset === 'credits')?.available ?? 0;
    },
  };
}

function text(body: Readonly<Record<string, unknown>>, field: string): string {
  const value = body[field];
  if (typeof value === 'string') return value;
  throw new Error(`the operator API's answer has no ${field}`);
}
