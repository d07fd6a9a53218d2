import { randomUUID } from 'node:crypto';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import { pause } from '@inventory/runtime/wait';
import { openOwnTopics } from '../bench-bus.ts';
import type { BenchContext, Benchmark } from '../benchmark.ts';
import { newAccountIds } from '../ledger-work.ts';
import { cpuMs } from '../process-usage.ts';
import { lessIsBetter } from '../row.ts';
import { startYardstick, type Yardstick } from '../yardsticks/start-yardstick.ts';

const replicasMax = 8;
const perBatch = 40;
const batchMs = 40;
const [accountId = 'acc_'] = newAccountIds(1);

/** (m) What a gateway replica spends on a reply, of whichever replica: alone, and one of eight. */
export const ledgerReplies: Benchmark = {
  name: 'ledger-replies',
  async run(context) {
    const alone = await cpuPerReply(context, 1);
    const among = await cpuPerReply(context, replicasMax);
    return [
      lessIsBetter({
        name: `CPU per reply and gateway replica, one of ${replicasMax}, against one alone`,
        value: among,
        unit: 'ms',
        yardstick: alone,
        floor: 0.9,
      }),
    ];
  },
};

/** CPU of one replica per reply that was sent to all of them, above what it uses without any. */
async function cpuPerReply(
  { backends, periodMs }: BenchContext,
  replicas: number,
): Promise<number> {
  const topicPrefix = `bench.replies.${randomUUID().slice(0, 8)}.`;
  const bus = await openOwnTopics(backends.kafkaBrokers, topicPrefix, 12);
  const names = Array.from({ length: replicas }, (_, index) => `replica-${index}/`);
  const readers = await Promise.all(
    names.map((name) => startYardstick('reply-reader', [backends.kafkaBrokers, topicPrefix, name])),
  );
  const batches = Math.ceil(periodMs / batchMs);
  let sent = 0;
  const send = async () => {
    const replies = Array.from({ length: perBatch }, () => {
      sent += 1;
      return replyTo(`${names[sent % replicas]}${sent}`);
    });
    await bus.publish(replies);
  };
  try {
    await everyBatch(batches / 2, send);
    const idle = await cpuOf(readers, () => everyBatch(batches, async () => {}));
    const before = sent;
    const busy = await cpuOf(readers, () => everyBatch(batches, send));
    await expectOwn(readers, sent);
    return Math.max(0, busy - idle) / (sent - before) / replicas;
  } finally {
    await Promise.all(readers.map((reader) => reader.stop()));
    await bus.close();
  }
}

async function everyBatch(batches: number, work: () => Promise<void>): Promise<void> {
  const startMs = performance.now();
  for (let batch = 0; batch < batches; batch += 1) {
    await work();
    await pause(Math.max(0, startMs + (batch + 1) * batchMs - performance.now()));
  }
}

async function cpuOf(readers: readonly Yardstick[], work: () => Promise<void>): Promise<number> {
  const used = () => readers.reduce((sum, { pid }) => sum + cpuMs(pid), 0);
  const before = used();
  await work();
  return used() - before;
}

/** Every reply is decoded by its replica. */
async function expectOwn(readers: readonly Yardstick[], sent: number): Promise<void> {
  for (let tries = 0; tries < 50; tries += 1) {
    const own = await Promise.all(readers.map((reader) => reader.ask<number>({ do: 'count' })));
    if (own.reduce((sum, count) => sum + count, 0) === sent) return;
    await pause(100);
  }
  throw new Error('replies are missing');
}

function replyTo(waitingId: string): OutgoingMessage {
  const id = randomUUID();
  return {
    type: 'reply.billing-outcome.v1',
    id,
    body: {
      waitingId,
      deadlineAtMs: null,
      retryAfterSeconds: null,
      outcome: {
        ...{ commandId: `charge:${id}`, kind: 'charge', result: 'applied', refusal: null },
        ...{ accountId, projectId: null, refreshId: null, requestId: null },
        ...{ seq: 1, atMs: Date.UTC(2026, 10, 1), asset: 'credits', productCode: null },
        ...{ priceVersion: 1, amountReserved: 0, amountCharged: 1, amountReleased: 0 },
        disposition: null,
        balance: { total: 5, held: 0, available: 5 },
        creditsAvailable: null,
      },
    },
  };
}
