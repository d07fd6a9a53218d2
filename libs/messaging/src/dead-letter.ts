import type { Position, WireRecord } from './wire-record.ts';

export interface DeadLetterReason {
  readonly reason: string;
  readonly detail: string;
  readonly group: string;
}

/** The original bytes and headers, plus their origin and the reason. */
export function toDeadLetter(
  record: WireRecord,
  position: Position,
  reason: DeadLetterReason,
): WireRecord {
  return {
    key: record.key,
    value: record.value,
    headers: {
      ...record.headers,
      'dead-letter-reason': reason.reason,
      'dead-letter-detail': reason.detail.slice(0, 1_000),
      'dead-letter-group': reason.group,
      'dead-letter-topic': position.topic,
      'dead-letter-partition': String(position.partition),
      'dead-letter-offset': position.offset,
    },
  };
}

/** Counts one record; true when there are too many dead letters and the partition must stop. */
type CountRecord = (isDeadLetter: boolean) => boolean;

const runMax = 20;
const windowRecords = 1_000;
const windowRatioMax = 0.05;
const windowCountMin = 50;

/**
 * Distinguishes single bad records from a flood (a bad deployment, a wrong topic): more than 20 in
 * a row, or more than 5 % of the last 1,000, must not move a whole topic to its dead letters.
 */
export function createDeadLetterGuard(): CountRecord {
  let run = 0;
  let bad = 0;
  const window: boolean[] = [];
  return (isDeadLetter) => {
    run = isDeadLetter ? run + 1 : 0;
    window.push(isDeadLetter);
    if (isDeadLetter) bad += 1;
    if (window.length > windowRecords && window.shift()) bad -= 1;
    return run > runMax || (bad > windowCountMin && bad / window.length > windowRatioMax);
  };
}
