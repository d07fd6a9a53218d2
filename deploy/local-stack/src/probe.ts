import { connect } from 'node:net';
import { sentenceOf } from '@inventory/backends/provision-error';
import { monotonicNow } from '@inventory/runtime/clock';
import { pause } from '@inventory/runtime/wait';
import { request } from 'undici';

const answerTimeoutMs = 3_000;
const pollMs = 100;

/** What a health address says: fine, or in words what is not. Rejects when it does not answer. */
export async function readHealth(url: string): Promise<{ ok: boolean; problem: string }> {
  const answer = await request(url, { signal: AbortSignal.timeout(answerTimeoutMs) });
  const text = await answer.body.text();
  return { ok: answer.statusCode === 200, problem: problemsIn(text) };
}

export interface UntilOptions {
  readonly deadlineMs: number;
  /** Aborted when the process ended: then the promise rejects as well. */
  readonly signal: AbortSignal;
}

/** Resolves when the address answers 200; rejects with its last problem after the deadline. */
export function untilHealthy(url: string, options: UntilOptions): Promise<void> {
  return untilSucceeds(options, async () => {
    const { ok, problem } = await readHealth(url);
    if (!ok) throw new Error(problem);
  });
}

/** Resolves when something listens at the address. */
export function untilListening(url: string, options: UntilOptions): Promise<void> {
  const { hostname, port } = new URL(url);
  return untilSucceeds(options, () => connectOnce(hostname, Number(port)));
}

async function untilSucceeds(options: UntilOptions, probe: () => Promise<void>): Promise<void> {
  const begunMs = monotonicNow();
  for (;;) {
    try {
      return await probe();
    } catch (error) {
      options.signal.throwIfAborted();
      if (monotonicNow() - begunMs > options.deadlineMs) {
        throw new Error(
          `was not ready after ${options.deadlineMs / 1000} s (${sentenceOf(error)})`,
        );
      }
    }
    await pause(pollMs, options.signal);
  }
}

function connectOnce(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: answerTimeoutMs });
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('timeout', () => socket.destroy(new Error('no answer')));
    socket.once('error', reject);
  });
}

function problemsIn(text: string): string {
  try {
    const { problems } = JSON.parse(text) as { problems?: unknown };
    if (Array.isArray(problems)) return problems.join(', ');
  } catch {
    // Not a health answer: what it says is of no use here.
  }
  return 'no health answer';
}
