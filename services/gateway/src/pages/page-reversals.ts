import { billingCommandId } from '@inventory/contracts/messages/billing';
import type { Logger } from '@inventory/runtime/logger';
import type { PendingCommandKind } from '../commands/command-work.ts';
import { capturesEnded, reversals } from '../metrics.ts';
import { work } from '../work.ts';
import { type PageRead, quarantinePauseMs } from './page-intent.domain.ts';
import type { ReadKeyStore } from './read-key-store.ts';

type Reversals = PendingCommandKind<PageRead, 'reply.billing-outcome.v1'>;

/**
 * Charges whose page was not delivered. A reversal that arrives before its charge makes the charge
 * impossible, so it is sent whether or not the charge was.
 */
export function pageReversals({
  queue,
  keys,
  chains,
  logger,
}: {
  readonly queue: Reversals['queue'];
  readonly keys: ReadKeyStore;
  /** A chain with a reversed page is not fully paid: it is excluded from capture. */
  readonly chains: { excludeChain(chainId: string): Promise<void> };
  readonly logger: Logger;
}): Reversals {
  return {
    ...work.reversals,
    queue,
    replyType: 'reply.billing-outcome.v1',
    toMessage({ accountId, projectId, requestId }, waitingId) {
      const commandId = billingCommandId.reverse(requestId);
      return {
        type: 'billing.reverse.v1',
        id: commandId,
        waitingId,
        body: { commandId, accountId, projectId, requestId },
      };
    },
    async onReply({ requestId, chainId, keyId }, { outcome }) {
      if (outcome === null) return quarantinePauseMs;
      if (chainId !== null) {
        await chains.excludeChain(chainId);
        capturesEnded.add(1, { reason: 'reversed' });
      }
      if (keyId !== null) await keys.releaseKey(keyId, requestId);
      const result = outcome.refusal?.code ?? outcome.result;
      reversals.add(1, { result });
      logger.info({ requestId, result }, 'page charge reversed');
      return undefined;
    },
  };
}
