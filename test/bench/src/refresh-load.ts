import { randomUUID } from 'node:crypto';
import type { Stack } from '@inventory/local-stack/stack';
import { sizeInventory } from '@inventory/platform-simulator/scenarios';
import { pause } from '@inventory/runtime/wait';
import { Agent, request } from 'undici';
import { type Customer, inventoryPath } from './customer.ts';

/** A refresh that is over, with times of this process's own clock. */
export interface FinishedRefresh {
  readonly id: string;
  readonly outcome: string;
  readonly atMs: number;
  /** From the first try to ask for it until its end was known. */
  readonly tookMs: number;
}

/** Always as many refreshes of one customer under way, until it is ended. */
export interface RefreshLoad {
  /** In the order in which they ended. */
  readonly finished: readonly FinishedRefresh[];
  /** Asks for no more; resolves when all that were accepted are over, rejects if one never is. */
  end(): Promise<void>;
}

export interface RefreshLoadOptions {
  readonly stack: Stack;
  readonly customer: Customer;
  readonly underWay: number;
  /** Size of each inventory; every refresh is of another one. */
  readonly assets: number;
}

const retryMs = 250;
const waitSeconds = 20;
/** A refresh that takes longer counts as lost. */
const lostAfterMs = 120_000;
/** Not decided, cut off or refused for now: asked again, a refresh with the same key. */
const passing: readonly number[] = [0, 409, 429, 502, 503, 504];

export function startRefreshLoad(options: RefreshLoadOptions): RefreshLoad {
  const finished: FinishedRefresh[] = [];
  const { ask, close } = openPatientCalls(options);
  let serial = 0;
  let ended = false;

  async function refreshOnce(): Promise<void> {
    serial += 1;
    const startMs = performance.now();
    const path = `${inventoryPath(sizeInventory(options.assets, serial))}/refresh`;
    const { refresh_id: id } = await ask('POST', path, startMs);
    for (;;) {
      const status = `/v2/platform/inventory-refreshes/${id}?wait=${waitSeconds}`;
      const { state, outcome } = await ask('GET', status, startMs);
      if (state !== 'completed') continue;
      const atMs = performance.now();
      finished.push({ id, outcome, atMs, tookMs: atMs - startMs });
      return;
    }
  }

  const worker = async (): Promise<void> => {
    while (!ended) await refreshOnce();
  };
  const workers = Promise.all(Array.from({ length: options.underWay }, worker));
  // The failure is reported when the load ends; until then it must not end the process.
  workers.catch(() => {});
  return {
    finished,
    async end() {
      ended = true;
      await workers.finally(close);
    },
  };
}

interface Record {
  readonly refresh_id: string;
  readonly state: string;
  readonly outcome: string;
}

function openPatientCalls({ stack, customer, underWay }: RefreshLoadOptions) {
  const agent = new Agent({ connections: underWay, pipelining: 1 });

  async function once(method: 'GET' | 'POST', path: string, key: string) {
    const isPost = method === 'POST';
    const answer = await request(new URL(path, stack.gatewayUrl), {
      method,
      dispatcher: agent,
      headers: {
        'x-api-key': customer.apiKey,
        ...(isPost ? { 'content-type': 'application/json', 'idempotency-key': key } : {}),
      },
      body: isPost ? JSON.stringify({ max_credits: 125 }) : null,
    });
    return { status: answer.statusCode, text: await answer.body.text() };
  }

  return {
    close: () => agent.close(),
    /** Until it is answered; rejects when that is too late for a refresh that began at `startMs`. */
    async ask(method: 'GET' | 'POST', path: string, startMs: number): Promise<Record> {
      const key = randomUUID();
      for (;;) {
        const { status, text } = await once(method, path, key).catch((error: unknown) => ({
          status: 0,
          text: String(error),
        }));
        const isLate = performance.now() - startMs > lostAfterMs;
        if (status > 0 && status < 400 && !isLate) return JSON.parse(text).data as Record;
        if (isLate || !passing.includes(status)) throw new Error(`${path}: ${status} ${text}`);
        await pause(retryMs);
      }
    },
  };
}
