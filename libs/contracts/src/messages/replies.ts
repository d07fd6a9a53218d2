import { z } from 'zod';
import { refreshId, revisionId } from '../ids.ts';
import { refreshAcceptance, retryAfterSeconds } from '../internal/refresh.ts';
import { refreshRefusal } from '../refusal.ts';
import { billingOutcome } from './billing-outcome.ts';

const waitingId = z.string().min(1).max(200);

/** The collector's decision on one refresh attempt, for the HTTP request that waits for it. */
export const refreshDecisionReply = z.discriminatedUnion('decision', [
  refreshAcceptance.extend({
    waiting_id: waitingId,
    refresh_id: refreshId,
    decision: z.literal('accepted'),
    /** When its time in the queue ends. */
    deadline_at: z.iso.datetime(),
    retry_after_seconds: retryAfterSeconds,
  }),
  z.object({
    waiting_id: waitingId,
    refresh_id: refreshId,
    decision: z.literal('refused'),
    refusal: refreshRefusal,
  }),
  /** A saved observation answers it: it is completed, and nothing was held. */
  z.object({
    waiting_id: waitingId,
    refresh_id: refreshId,
    decision: z.literal('saved'),
    price_version: z.int(),
    revision_id: revisionId,
    verified_at: z.iso.datetime(),
    completed_at: z.iso.datetime(),
  }),
  /** Another attempt holds the Idempotency-Key: read that refresh instead. */
  z.object({
    waiting_id: waitingId,
    refresh_id: refreshId,
    decision: z.literal('duplicate'),
    winner_refresh_id: refreshId,
  }),
]);

/** The collector's answer to a cancel. */
export const refreshCancelReply = z.object({
  waiting_id: waitingId,
  refresh_id: refreshId,
  result: z.enum(['cancelling', 'already_completed', 'not_found']),
});

/** A billing outcome, for the HTTP request that waits for it. */
export const billingOutcomeReply = z.object({
  waiting_id: waitingId,
  /** Null where nothing was decided: the account is in quarantine. */
  outcome: billingOutcome.nullable(),
  /** As the reserve said them. */
  deadline_at: z.iso.datetime().optional(),
  retry_after_seconds: retryAfterSeconds.optional(),
});
