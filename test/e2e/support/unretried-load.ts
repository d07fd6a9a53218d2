import { randomUUID } from 'node:crypto';
import type { ApiError } from '@inventory/client/errors';
import type { InventoryClient } from '@inventory/client/inventory-client';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { pause } from '@inventory/runtime/wait';
import { waitFor } from '@inventory/testkit/wait-for';
import type { OlderBuild } from '../../support/older-build.ts';
import type { Customer } from './operator.ts';
import { sizeScope } from './simulator-control.ts';

export interface SentRefresh {
  readonly scope: InventoryKey;
  readonly size: number;
  readonly key: string;
  /** Null where its request failed: it may have been accepted. */
  readonly refreshId: string | null;
}

/** Customers who refresh and read all the time with the older client, and repeat no request. */
export interface UnretriedLoad {
  /** A time in which a request may fail, if a client may repeat it; for a whole cycle of each customer. */
  untilServed(): Promise<void>;
  /** A time in which no request may fail, for so many cycles of each customer. */
  staysServed(cycles: number): Promise<void>;
  /** From now on a request may fail. */
  disturb(): void;
  sentBy(customer: Customer): readonly SentRefresh[];
  /** Requests that must not have failed, as text. */
  readonly faults: readonly string[];
  readonly failures: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

interface Period {
  readonly mayFail: boolean;
  /** Cycles that were begun in it and were served. */
  readonly cycles: Map<Customer, number>;
}

/** Less than a replica that stops has for its requests. */
const waitSeconds = 2;
const cyclePauseMs = 250;
const periodOf = (mayFail: boolean): Period => ({ mayFail, cycles: new Map() });

export function startUnretriedLoad(
  older: OlderBuild,
  gatewayUrl: string,
  customers: readonly Customer[],
): UnretriedLoad {
  const sent = new Map<Customer, SentRefresh[]>(customers.map((one) => [one, []]));
  const faults: string[] = [];
  const failures = new Map<string, number>();
  let period = periodOf(true);
  let serial = 0;
  let isStopped = false;

  /** Null where it failed. */
  async function once<Value>(operation: string, call: () => Promise<Value>): Promise<Value | null> {
    const since = period;
    try {
      return await call();
    } catch (error) {
      const { status, code, name, message, retryable } = error as Error & Partial<ApiError>;
      const text = `${operation} ${status ?? 0} ${code ?? (retryable ? name : message)}`;
      failures.set(text, (failures.get(text) ?? 0) + 1);
      const isExcused = retryable === true && (since.mayFail || since !== period);
      if (!isExcused) faults.push(text);
      return null;
    }
  }

  async function cycle(customer: Customer, client: InventoryClient): Promise<boolean> {
    serial += 1;
    const size = 1 + ((serial * 97) % 600);
    const scope = sizeScope(size, serial);
    const key = randomUUID();
    const posted = await once('refresh', () => client.refresh(scope, { idempotencyKey: key }));
    const refreshId = posted?.record.refresh_id ?? null;
    sent.get(customer)?.push({ scope, size, key, refreshId });
    if (refreshId === null) return false;
    let state = '';
    while (state !== 'completed') {
      if (isStopped) return false;
      const read = await once('status', () => client.status(refreshId, { waitSeconds }));
      if (read === null) return false;
      state = read.record.state;
    }
    const reads = await Promise.all([
      once('current', () => client.currentPage(scope)),
      once('live_page', () => client.livePage(scope)),
      once('account', () => client.account()),
    ]);
    return reads.every((read) => read !== null);
  }

  const loops = customers.map(async (customer) => {
    const client = unretriedClient(older, gatewayUrl, customer.secret);
    while (!isStopped) {
      const since = period;
      const isServed = await cycle(customer, client);
      if (isServed) since.cycles.set(customer, (since.cycles.get(customer) ?? 0) + 1);
      await pause(cyclePauseMs);
    }
  });
  async function begin(mayFail: boolean, cycles: number): Promise<void> {
    const begun = periodOf(mayFail);
    period = begun;
    await waitFor(`${cycles} cycles of each customer are served`, () =>
      customers.every((one) => (begun.cycles.get(one) ?? 0) >= cycles),
    );
  }
  return {
    untilServed: () => begin(true, 1),
    staysServed: (cycles) => begin(false, cycles),
    disturb() {
      period = periodOf(true);
    },
    sentBy: (customer) => sent.get(customer) ?? [],
    faults,
    failures,
    async stop() {
      isStopped = true;
      await Promise.all(loops);
    },
  };
}

/** A connection for each request, so that each replica has its share. */
function unretriedClient(older: OlderBuild, baseUrl: string, apiKey: string): InventoryClient {
  return older.library.createInventoryClient(
    {
      baseUrl,
      apiKey,
      fetch: (url, init) =>
        fetch(url, { ...init, headers: { ...init.headers, Connection: 'close' } }),
    },
    // Every retry is later than any deadline.
    { ...older.clientEnvironment, chance: () => Number.POSITIVE_INFINITY },
  );
}
