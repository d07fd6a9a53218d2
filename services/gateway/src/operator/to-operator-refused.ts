import { detailOf } from '@inventory/contracts/refusal';
import { isOn, rowOf } from '@inventory/contracts/refusal-codes';
import { ServiceUnreachable } from '@inventory/http/internal-client';
import { errorOf, Refused } from '@inventory/http/refused';
import { toRefused } from '../http/to-refused.ts';
import { EntryUndecided } from './ledger-commands.ts';

/** An error as a refusal of the operator API; a code that it does not have is a fault. */
export function toOperatorRefused(error: unknown): Refused {
  if (error instanceof EntryUndecided) {
    return new Refused({ code: 'billing_unavailable', retry_after_seconds: 1 }, { cause: error });
  }
  const refused = toRefused(error);
  if (isOn(refused.refusal.code, 'operator')) return refused;
  return new Refused({ code: 'internal_error' }, { cause: error });
}

/** The body of an error, with the dependency that is unavailable. */
export function operatorError({ refusal, cause }: Refused) {
  const { code, message } = errorOf(refusal);
  const detail = undecidedDetail(cause) ?? detailOf(refusal);
  return {
    code,
    message: rowOf(code).operatorMessage ?? message,
    ...(detail ? { detail } : {}),
  };
}

function undecidedDetail(cause: unknown): object | undefined {
  if (cause instanceof EntryUndecided) return { outcome: cause.outcome };
  if (cause instanceof ServiceUnreachable) return { reason: cause.message };
  return undefined;
}
