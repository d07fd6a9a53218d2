import { type AccountId, accountId, type ProjectId, projectId } from '@inventory/contracts/ids';
import type { Stack } from '@inventory/local-stack/stack';
import {
  createOperatorClient,
  type OperatorClient,
} from '@inventory/operator-client/operator-client';

/** A Project with a Credential that may do everything a benchmark does. */
export interface Project {
  readonly accountId: AccountId;
  readonly projectId: ProjectId;
  readonly apiKey: string;
}

const requestsPerMinute = 1_000_000;
const scopes = ['*', 'customer.events.read.v1', 'customer.webhooks.manage.v1'] as const;

/** Where a product is reached. */
export type Product = Pick<Stack, 'gatewayUrl' | 'operatorUrl' | 'operatorToken'>;

export function operatorOf({ operatorUrl: url, operatorToken: token }: Product): OperatorClient {
  return createOperatorClient({ url, token });
}

/** Without a rate limit worth the name. */
export async function createAccount(
  stack: Product,
  { events }: { readonly events: boolean },
): Promise<AccountId> {
  const operator = operatorOf(stack);
  const { account_id } = await operator.call('createAccount', { name: 'benchmark' });
  const change = { rate_limit_per_minute: requestsPerMinute, events_enabled: events };
  await operator.call('changeAccount', { account_id, ...change });
  return accountId.parse(account_id);
}

export async function createProject(stack: Product, account_id: AccountId): Promise<Project> {
  const { project_id } = await operatorOf(stack).call('createProject', { account_id });
  const apiKey = await issueKey(stack, project_id);
  return { accountId: account_id, projectId: projectId.parse(project_id), apiKey };
}

export async function issueKey(stack: Product, project_id: string): Promise<string> {
  const { secret } = await operatorOf(stack).call('issueCredential', { project_id, scopes });
  return secret;
}
