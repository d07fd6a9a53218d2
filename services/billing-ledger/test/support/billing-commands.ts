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
  const common = { accountId, projectId };
  const issued = { accountId, asset: 'credits', reason: 'test' } as const;
  return {
    accountId,
    projectId,
    grant: (amount, key = newRequestId()) => {
      const id = billingCommandId.grant(key);
      const body = { ...issued, commandId: id, requestId: newRequestId(), amount };
      return { type: 'billing.grant.v1', id, body };
    },
    grantUnits: (amount) => {
      const id = billingCommandId.grant(newRequestId());
      const body = { ...issued, commandId: id, requestId: newRequestId(), amount };
      return { type: 'billing.grant.v1', id, body: { ...body, asset: 'units' } };
    },
    configure: (change, key = newRequestId()) => {
      const id = billingCommandId.configure(key);
      const requestId = newRequestId();
      const body = { accountId, commandId: id, requestId, change, reason: 'test' };
      return { type: 'billing.configure.v1', id, body };
    },
    adjust: (amount) => {
      const id = billingCommandId.adjust(newRequestId());
      const body = { ...issued, commandId: id, requestId: newRequestId(), amount };
      return { type: 'billing.adjust.v1', id, body };
    },
    reserve: (refreshId = newRefreshId(), maxCredits = 1_000_000) => {
      const id = billingCommandId.reserve(refreshId);
      const productCode = 'platform.inventory.refresh.v1';
      const requestId = newRequestId();
      const subjects = { ...common, credentialId: null, commandId: id, refreshId, requestId };
      const times = { deadlineAtMs: Date.UTC(2026, 5, 1, 0, 30), retryAfterSeconds: 25 };
      const body = { ...subjects, productCode, maxCredits, ...times } as const;
      return { type: 'billing.reserve.v1', id, body };
    },
    settle: (refreshId, outcome, assets) => {
      const id = billingCommandId.settle(refreshId);
      const observedAssets = assets ?? null;
      const body = { ...common, commandId: id, refreshId, outcome, observedAssets };
      return { type: 'billing.settle.v1', id, body };
    },
    release: (refreshId) => {
      const id = billingCommandId.release(refreshId);
      return { type: 'billing.release.v1', id, body: { ...common, commandId: id, refreshId } };
    },
    charge: (requestId) => {
      const id = billingCommandId.charge(requestId);
      const productCode = 'platform.inventory.current.page.v1';
      const subjects = { ...common, credentialId: null, commandId: id, requestId };
      const body = { ...subjects, productCode, pageCount: null } as const;
      return { type: 'billing.charge.v1', id, body };
    },
    reverse: (requestId) => {
      const id = billingCommandId.reverse(requestId);
      return { type: 'billing.reverse.v1', id, body: { ...common, commandId: id, requestId } };
    },
  };
}
