import { setTimeout as timer } from 'node:timers/promises';

/** Resolves after `delayMs`, or when the signal is aborted. Never rejects. */
export async function pause(delayMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return;
  try {
    await timer(delayMs, undefined, signal ? { signal } : {});
  } catch {
    // Aborted: the caller checks its signal.
  }
}

export class DeadlineExceeded extends Error {
  override name = 'DeadlineExceeded';
}

/** Settles as `work`, or rejects with {@link DeadlineExceeded} after `deadlineMs`; the work continues. */
export async function withDeadline<Value>(
  work: Promise<Value>,
  deadlineMs: number,
  operation: string,
): Promise<Value> {
  let timeout: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_resolve, reject) => {
    timeout = setTimeout(
      () => reject(new DeadlineExceeded(`${operation} took longer than ${deadlineMs} ms`)),
      deadlineMs,
    );
  });
  try {
    return await Promise.race([work, expired]);
  } finally {
    clearTimeout(timeout);
  }
}
