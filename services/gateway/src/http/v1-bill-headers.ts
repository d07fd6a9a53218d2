import type { V1Dialect } from './v1-dialect.ts';

/** The fields of a bill in the headers of V1. */
export interface HeaderBill {
  readonly credits_charged?: number | undefined;
  readonly credits_remaining?: number | undefined;
  readonly units_charged?: number | undefined;
  readonly units_remaining?: number | undefined;
}

/** Headers of a response whose charge was decided; none otherwise. */
export function billHeaders(dialect: V1Dialect, bill: HeaderBill): Record<string, string> {
  const { credits_charged: charged, credits_remaining: remaining } = bill;
  if (charged === undefined || remaining === undefined) return {};
  const { units_charged: units, units_remaining: unitsRemaining } = bill;
  return {
    'X-Credits-Charged': String(charged),
    'X-Credits-Remaining': String(remaining),
    ...(dialect === 'original' ? { 'X-Api-Credits-Remaining': String(remaining) } : {}),
    ...(units === undefined ? {} : { 'X-Units-Charged': String(units) }),
    ...(unitsRemaining === undefined ? {} : { 'X-Units-Remaining': String(unitsRemaining) }),
  };
}
