import { once } from 'node:events';
import { connect } from 'node:net';
import { pause } from '@inventory/runtime/wait';
import { request } from 'undici';

const timeoutMs = 3_000;
const livenessPauseMs = 5_000;
const deadResponsesMax = 3;

/** Rejects unless the health address responds with 200. */
export async function assertHealthy(url: string): Promise<void> {
  const problem = await readHealth(url);
  if (problem !== null) throw new Error(problem);
}

/** Rejects when nothing listens at the address. */
export async function assertListening(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(timeoutMs) });
  } finally {
    socket.destroy();
  }
}

/**
 * Resolves with a problem once the process reports several times that only a new one helps. A
 * process that does not respond may be paused or busy, so that counts for nothing.
 */
export async function watchLiveness(url: string, signal: AbortSignal): Promise<string | null> {
  for (let deadResponses = 0; ; ) {
    await pause(livenessPauseMs, signal);
    if (signal.aborted) return null;
    const problem = await readHealth(url).catch(() => null);
    deadResponses = problem === null ? 0 : deadResponses + 1;
    if (deadResponses === deadResponsesMax) return `was no longer healthy (${problem})`;
  }
}

/** The problem that a health address reports; null when it responds with 200. */
async function readHealth(url: string): Promise<string | null> {
  const { body, statusCode } = await request(url, { signal: AbortSignal.timeout(timeoutMs) });
  const text = await body.text();
  return statusCode === 200 ? null : problemsIn(text);
}

function problemsIn(text: string): string {
  try {
    const { problems } = JSON.parse(text) as { problems?: unknown };
    if (Array.isArray(problems)) return problems.join(', ');
  } catch {
    // Not a health response.
  }
  return 'no health response';
}
