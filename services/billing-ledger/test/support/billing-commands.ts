import type { AccountId, ProjectId, RefreshId, RequestId } from '@inventory/contracts/ids';
import { type BillingConfiguration, billingCommandId } from '@inventory/contracts/messages/billing';
import type { RefreshOutcome } from '@inventory/contracts/vocabulary';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import { newProjectId, newRefreshId, newRequestId } from '@inventory/testkit/builders';

/** The senders of one account's billing commands. */
export interface Sender {
  readonly accountId: AccountId;
  grant(amount: number, key?: string): OutgoingMessage;
  adjust(amount: number): OutgoingMessage;
  reserve(
    refreshId?: RefreshId,
    maxCredits?: number,
  ): OutgoingMessage & { type: 'billing.reserve.v1' };
  settle(refreshId: RefreshId, outcome: RefreshOutcome, assets?: number): OutgoingMessage;
  release(refreshId: RefreshId): OutgoingMessage;
  charge(requestId: RequestId): OutgoingMessage;
  reverse(requestId: RequestId): OutgoingMessage;
  grantUnits(amount: number): OutgoingMessage;
  configure(change: BillingConfiguration, key?: string): OutgoingMessage;
  readonly projectId: ProjectId;
}

export function senderOf(accountId: AccountId, projectId: ProjectId = newProjectId()): Sender {
  const common = { account_id: accountId, project_id: projectId };
  const issued = { account_id: accountId, asset: 'credits', reason: 'test' } as const;
  return {
    accountId,
    projectId,
    grant: (amount, key = newRequestId()) => {
      const id = billingCommandId.grant(key);
      const body = { ...issued, command_id: id, request_id: newRequestId(), amount };
      return { type: 'billing.grant.v1', id, body };
    },
    grantUnits: (amount) => {
      const id = billingCommandId.grant(newRequestId());
      const body = { ...issued, command_id: id, request_id: newRequestId(), amount };
      return { type: 'billing.grant.v1', id, body: { ...body, asset: 'units' } };
    },
    configure: (change, key = newRequestId()) => {
      const id = billingCommandId.configure(key);
      const request_id = newRequestId();
      const body = { account_id: accountId, command_id: id, request_id, change, reason: 'test' };
      return { type: 'billing.configure.v1', id, body };
    },
    adjust: (amount) => {
      const id = billingCommandId.adjust(newRequestId());
      const body = { ...issued, command_id: id, request_id: newRequestId(), amount };
      return { type: 'billing.adjust.v1', id, body };
    },
    reserve: (refresh_id = newRefreshId(), max_credits = 1_000_000) => {
      const id = billingCommandId.reserve(refresh_id);
      const product_code = 'platform.inventory.refresh.v1';
      const request_id = newRequestId();
      const subjects = { ...common, command_id: id, refresh_id, request_id };
      const times = { deadline_at: '2026-06-01T00:30:00.000Z', retry_after_seconds: 25 };
      const body = { ...subjects, product_code, max_credits, ...times } as const;
      return { type: 'billing.reserve.v1', id, body };
    },
    settle: (refresh_id, outcome, assets) => {
      const id = billingCommandId.settle(refresh_id);
      const observed_assets = assets ?? null;
      const body = { ...common, command_id: id, refresh_id, outcome, observed_assets };
      return { type: 'billing.settle.v1', id, body };
    },
    release: (refresh_id) => {
      const id = billingCommandId.release(refresh_id);
      return { type: 'billing.release.v1', id, body: { ...common, command_id: id, refresh_id } };
    },
    charge: (request_id) => {
      const id = billingCommandId.charge(request_id);
      const product_code = 'platform.inventory.current.page.v1';
      const body = { ...common, command_id: id, request_id, product_code } as const;
      return { type: 'billing.charge.v1', id, body };
    },
    reverse: (request_id) => {
      const id = billingCommandId.reverse(request_id);
      return { type: 'billing.reverse.v1', id, body: { ...common, command_id: id, request_id } };
    },
  };
}
