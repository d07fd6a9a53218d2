import { elapsedSince, monotonicNow } from '@inventory/runtime/clock';
import { gauge, histogram } from '@inventory/runtime/instruments';
import type { VerificationRecord } from './verification-store.ts';

const verifyProblems = gauge({
  name: 'inventory.ledger.verify.problems',
  description: 'Problems found by the last verification of any process; absent before the first',
});
const verifyAge = gauge({
  name: 'inventory.ledger.verify.age',
  description: 'Time since a verification finished; absent before the first',
  unit: 's',
});
const verifyDuration = histogram({
  name: 'inventory.ledger.verify.duration',
  description: 'Verifications by this process, by result',
  unit: 's',
  labels: { result: ['sound', 'problems', 'failed'] },
  buckets: [0.1, 1, 10, 60, 300, 900, 3600, 14400],
});

/** Reports the last verification of any process; null before the first. */
export function observeVerification(
  readLast: () => VerificationRecord | null,
  now: () => number,
): void {
  verifyProblems.observe((observe) => {
    const last = readLast();
    if (last) observe(last.problems.length);
  });
  verifyAge.observe((observe) => {
    const last = readLast();
    if (last) observe(Math.max(0, now() - last.finishedAtMs) / 1_000);
  });
}

/** Runs a verification and records its result and duration. */
export async function recordVerification<Result extends { readonly problems: readonly unknown[] }>(
  verify: () => Promise<Result>,
): Promise<Result> {
  const startMs = monotonicNow();
  const ended = (result: 'sound' | 'problems' | 'failed') =>
    verifyDuration.record(elapsedSince(startMs) / 1_000, { result });
  try {
    const verification = await verify();
    ended(verification.problems.length === 0 ? 'sound' : 'problems');
    return verification;
  } catch (error) {
    ended('failed');
    throw error;
  }
}
