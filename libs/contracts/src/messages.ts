import type { z } from 'zod';
import { authorityChanged } from './messages/authority-changes.ts';
import {
  billingAdjust,
  billingBalanceLow,
  billingCharge,
  billingConfigure,
  billingGrant,
  billingOutcome,
  billingOutcomeReply,
  billingRelease,
  billingReserve,
  billingReverse,
  billingSettle,
} from './messages/billing.ts';
import { priceList } from './messages/price-list.ts';
import { projectEventAppended } from './messages/project-events.ts';
import {
  refreshCancelReply,
  refreshCancelRequested,
  refreshCompleted,
  refreshDecisionReply,
  refreshRequested,
  watchPaused,
} from './messages/refresh.ts';
import {
  revisionCommitted,
  revisionRejected,
  revisionScanAbandoned,
  revisionScanCompleted,
} from './messages/revision.ts';
import type { TopicName, topics } from './topics.ts';

/**
 * Every message the services exchange, by type and version: its topic and its body. Within a version
 * a body may only gain optional fields; consumers ignore unknown fields.
 */
export const messages = {
  'refresh.request.v1': on('refresh.commands.v1', refreshRequested),
  'refresh.cancel.v1': on('refresh.commands.v1', refreshCancelRequested),
  'billing.reserve.v1': on('billing.commands.v1', billingReserve),
  'billing.settle.v1': on('billing.commands.v1', billingSettle),
  'billing.release.v1': on('billing.commands.v1', billingRelease),
  'billing.charge.v1': on('billing.commands.v1', billingCharge),
  'billing.reverse.v1': on('billing.commands.v1', billingReverse),
  'billing.grant.v1': on('billing.commands.v1', billingGrant),
  'billing.adjust.v1': on('billing.commands.v1', billingAdjust),
  'billing.configure.v1': on('billing.commands.v1', billingConfigure),
  'billing.outcome.v1': on('billing.outcomes.v1', billingOutcome),
  'billing.balance-low.v1': on('billing.outcomes.v1', billingBalanceLow),
  'billing.price-list.v1': on('billing.price-lists.v1', priceList),
  'revision.completed.v1': on('revision.commands.v1', revisionScanCompleted),
  'revision.abandoned.v1': on('revision.commands.v1', revisionScanAbandoned),
  'revision.committed.v1': on('revision.outcomes.v1', revisionCommitted),
  'revision.rejected.v1': on('revision.outcomes.v1', revisionRejected),
  'refresh.completed.v1': on('refresh.outcomes.v1', refreshCompleted),
  'watch.paused.v1': on('refresh.outcomes.v1', watchPaused),
  'project.event-appended.v1': on('project.events.v1', projectEventAppended),
  'authority.changed.v1': on('authority.changes.v1', authorityChanged),
  'reply.refresh-decision.v1': on('replies.v1', refreshDecisionReply),
  'reply.refresh-cancel.v1': on('replies.v1', refreshCancelReply),
  'reply.billing-outcome.v1': on('replies.v1', billingOutcomeReply),
} as const;

/** The field by which its topic is keyed is in every body. */
function on<Topic extends TopicName, Body extends z.ZodType<unknown, Record<KeyOf<Topic>, string>>>(
  topic: Topic,
  body: Body,
) {
  return { topic, body };
}
type KeyOf<Topic extends TopicName> = (typeof topics)[Topic]['key'];

export type MessageType = keyof typeof messages;
/** In the code's names, as it is decoded and before it is encoded. */
export type MessageBody<Type extends MessageType> = z.output<(typeof messages)[Type]['body']>;
export const messageTypes = Object.keys(messages) as MessageType[];
