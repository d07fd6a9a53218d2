import type { Environment } from '@inventory/contracts/environment';
import type { StatementRow } from '@inventory/contracts/internal/ledger';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { waitFor } from '@inventory/testkit/wait-for';
import type { ApiResponse } from '../../../services/gateway/test/support/api-call.ts';
import { watchRefresh } from './follow-refresh.ts';
import type { Balance, Customer } from './operator.ts';
import { type LoggedEvent, readProjectLog } from './project-log.ts';
import type { StoryStack } from './test-stack.ts';

/** One refresh of a customer without other refreshes, with all its observed states. */
export interface Journey {
  readonly customer: Customer;
  readonly scope: InventoryKey;
  readonly key: string;
  readonly refreshId: string;
  readonly before: Balance;
  readonly accepted: ApiResponse;
  /** Every answer of the status, the terminal one last. */
  readonly seen: readonly ApiResponse[];
  readonly after: Balance;
  /** The account's rows about this refresh. */
  readonly rows: readonly StatementRow[];
  readonly events: readonly LoggedEvent[];
}

export interface JourneyPlan {
  readonly scope: InventoryKey;
  /** Of the new customer. */
  readonly environment?: Environment;
  /** Whose; a new customer when absent. */
  readonly customer?: Customer;
  readonly language?: string;
  /** Done while the refresh is under way. */
  readonly meanwhile?: (refreshId: string, customer: Customer) => Promise<unknown>;
}

export async function takeJourney(stack: StoryStack, plan: JourneyPlan): Promise<Journey> {
  const { scope, language, meanwhile, environment = 'live' } = plan;
  const customer = plan.customer ?? (await stack.operator.newCustomer({ environment }));
  const { api, accountId, projectId } = customer;
  const key = systemIdentifiers.uuidV7();
  const before = await stack.operator.balance(accountId);
  const accepted = await api.refresh(scope, { key, ...(language ? { language } : {}) });
  if (accepted.status !== 202) throw new Error(`${accepted.status} ${accepted.text}`);
  const refreshId = accepted.json.data.refresh_id as string;
  const [seen] = await Promise.all([
    watchRefresh(api, refreshId),
    meanwhile?.(refreshId, customer) ?? null,
  ]);
  const after = await stack.operator.balance(accountId);
  const rows = await stack.operator.statement(accountId);
  // The status is terminal a moment before the event is appended.
  const events = await waitFor('the event is in the log', async () => {
    const log = await readProjectLog(stack, projectId);
    const own = log.filter((event) => event.refreshId === refreshId);
    return own.length > 0 ? own : undefined;
  });
  return {
    customer,
    scope,
    key,
    refreshId,
    before,
    accepted,
    seen,
    after,
    events,
    rows: rows.filter((row) => row.refreshId === refreshId),
  };
}
