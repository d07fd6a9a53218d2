import { billingRefusalCodes } from '@inventory/contracts/refusal';
import {
  counter,
  gauge,
  histogram,
  secondsBuckets,
  upDownCounter,
} from '@inventory/runtime/instruments';

/** Of a request to another service. */
const replyResults = ['reply', 'not_sent', 'unknown'] as const;

export const capturesCompleted = counter({
  name: 'inventory.gateway.captures_completed',
  description: 'Chains of Live Pages sent to be saved as a revision',
});
export const capturesEnded = counter({
  name: 'inventory.gateway.captures_ended',
  description: 'Chains of Live Pages that stopped capturing, by reason; reading may continue',
  labels: {
    reason: ['staging', 'rules', 'overtaken', 'store', 'reversed', 'deadline', 'evidence'],
  },
});
export const waitingReplies = gauge({
  name: 'inventory.gateway.replies_waiting',
  description: 'Requests of this replica that wait for a reply',
});
export const unknownKeysRefused = counter({
  name: 'inventory.gateway.unknown_keys_refused',
  description: 'Unknown keys that were refused as too many of their client address',
});
export const connectionsRefused = counter({
  name: 'inventory.gateway.connections_refused',
  description:
    'Connections to the public port that were closed at once, by the limit that they exceed',
  labels: { limit: ['peer', 'total'] },
});
export const chargeWait = histogram({
  name: 'inventory.gateway.charge_wait',
  description: 'Time a page read waited for its billing outcome',
  unit: 's',
  labels: { result: replyResults },
  buckets: secondsBuckets,
});
export const openIntents = upDownCounter({
  name: 'inventory.gateway.intents_open',
  description: 'Charge intents of this replica whose page is neither delivered nor abandoned',
});
export const givenAway = counter({
  name: 'inventory.gateway.pages_given_away',
  description: 'Delivered pages whose intent could not be deleted: their charge will be reversed',
});
export const reversals = counter({
  name: 'inventory.gateway.reversals',
  description: 'Page charges reversed, by outcome of the ledger',
  labels: { result: ['applied', 'refused', ...billingRefusalCodes] },
});
export const exportsSent = counter({
  name: 'inventory.gateway.exports',
  description:
    'Exports whose sending began, by end: cut by client, time or fault, or no longer saved',
  labels: { end: ['completed', 'cut', 'expired'] },
});
export const deliveriesEnded = counter({
  name: 'inventory.gateway.deliveries_ended',
  description:
    'Responses that were ended for another one because their client took next to nothing of them',
  labels: { kind: ['page', 'export'] },
});
export const decisionWait = histogram({
  name: 'inventory.gateway.decision_wait',
  description: 'Time a refresh request waited for the decision on its admission',
  unit: 's',
  labels: { result: replyResults },
  buckets: secondsBuckets,
});
export const cancelsAcknowledged = counter({
  name: 'inventory.gateway.pending_cancels_acknowledged',
  description: 'Attempts of unknown outcome whose cancel the collector has acknowledged',
  labels: { result: ['cancelling', 'already_completed', 'not_found'] },
});
export const waitingRefreshes = gauge({
  name: 'inventory.gateway.refresh_waits',
  description: 'Status requests of this replica that wait for a refresh to become terminal',
});
export const watchDecisions = counter({
  name: 'inventory.watch.decisions',
  description:
    'Decisions about due watches: a run was requested, none was made now, or the watch is paused',
  labels: { decision: ['run', 'skip', 'pause'] },
});
