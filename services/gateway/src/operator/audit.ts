import type { RefusalCode } from '@inventory/contracts/refusal';
import type { Clock } from '@inventory/runtime/clock';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { Logger } from '@inventory/runtime/logger';
import { createAuditLines } from '../http/audit-lines.ts';
import type { AuditEntry, AuditedCall, AuditStore } from './audit-store.ts';
import { toOperatorRefused } from './to-operator-refused.ts';

/** One change that an operator makes or attempts. */
export interface AuditedChange {
  readonly action: string;
  /** The parsed input: no operation takes a secret. */
  readonly parameters: Record<string, unknown>;
}

export type Audit = ReturnType<typeof createAudit>;

/**
 * The audit of the operator API. A change is in it before its effect: without the entry there is no
 * effect. An entry without its end is a change whose process ended: its outcome is unknown.
 */
export function createAudit({
  store,
  clock,
  identifiers,
  logger,
}: {
  readonly store: AuditStore;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly logger: Logger;
}) {
  const writeLine = createAuditLines(logger);

  async function append(entry: Omit<AuditEntry, 'auditId' | 'atMs'>): Promise<void> {
    await store.append({ ...entry, auditId: `aud_${identifiers.uuidV7()}`, atMs: clock.now() });
  }

  async function end(
    call: AuditedCall,
    change: AuditedChange,
    { outcome, ids }: { readonly outcome: string; readonly ids: Record<string, unknown> },
  ): Promise<void> {
    const { action, parameters } = change;
    const { operator, requestId } = call;
    writeLine({ operator, action, ...parameters, ...ids, outcome }, requestId);
    try {
      await append({ ...call, kind: 'ended', action, parameters: ids, outcome });
    } catch (error) {
      // The effect is there, and so is the entry before it.
      logger.error({ err: error, requestId }, 'the end of a change is not audited');
    }
  }

  return {
    /** A call that is refused before it is read. */
    async refused(call: AuditedCall, action: string | null, code: RefusalCode): Promise<void> {
      await append({ ...call, kind: 'refused', action, parameters: {}, outcome: code });
    },
    /** Runs `work` between the two entries of a change. */
    async change<Result>(
      call: AuditedCall,
      change: AuditedChange,
      work: () => Promise<Result>,
    ): Promise<Result> {
      await append({ ...call, kind: 'started', ...change, outcome: null });
      try {
        const result = await work();
        await end(call, change, { outcome: 'done', ids: namedIn(result) });
        return result;
      } catch (error) {
        await end(call, change, { outcome: toOperatorRefused(error).refusal.code, ids: {} });
        throw error;
      }
    },
  };
}

const names = ['account_id', 'project_id', 'service_account_id', 'credential_id', 'seq'];

/** The ids in a response and nothing else of it: a response may contain a secret. */
export function namedIn(response: unknown): Record<string, unknown> {
  const fields = Object.entries((response ?? {}) as object);
  return Object.fromEntries(fields.filter(([name]) => names.includes(name)));
}
