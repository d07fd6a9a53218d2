import { BSON } from 'mongodb';
import { z } from 'zod';
import { parseDocument } from '../src/parse-document.ts';

/*
 * CPU time of parsing a document beside that of decoding its BSON, which the driver does for every
 * document it reads. Prints Markdown; a few seconds. docs/contributors/decisions/0013 has its figures.
 */

const page = z.object({ page: z.int(), digest: z.string(), chunks: z.int(), cursor: z.string() });
const refreshes = {
  collection: 'refreshes',
  schema: z.object({
    _id: z.string(),
    version: z.int(),
    phase: z.enum(['accepted', 'queued', 'collecting', 'settling', 'completed']),
    accountId: z.templateLiteral(['acc_', z.uuid()]),
    projectId: z.templateLiteral(['prj_', z.uuid()]),
    scope: z.object({ platform_id: z.string(), app_id: z.int(), context_id: z.int() }),
    requestedAt: z.date(),
    queueDeadline: z.date(),
    completedAt: z.date().nullable(),
    billing: z.object({
      state: z.enum(['reserved', 'pending', 'finalized']),
      reserved: z.int(),
      charged: z.int().nullable(),
      released: z.int().nullable(),
    }),
    scan: z.object({ epoch: z.int(), worker: z.string().nullable(), startedAt: z.date() }),
    pages: z.array(page),
  }),
};

const uuid = '0197a4b0-0000-7000-8000-000000000001';

function refresh(pages: number) {
  return {
    _id: uuid,
    version: 7,
    phase: 'collecting',
    accountId: `acc_${uuid}`,
    projectId: `prj_${uuid}`,
    scope: { platform_id: '76100000000000001', app_id: 730, context_id: 2 },
    requestedAt: new Date(1),
    queueDeadline: new Date(2),
    completedAt: null,
    billing: { state: 'reserved', reserved: 125, charged: null, released: null },
    scan: { epoch: 1, worker: 'collector-1', startedAt: new Date(3) },
    pages: Array.from({ length: pages }, (_none, number) => ({
      page: number,
      digest: 'd'.repeat(64),
      chunks: 2,
      cursor: String(number),
    })),
  };
}

/** Microseconds of CPU time per call. */
function cpuMicros(calls: number, work: () => void): string {
  for (let call = 0; call < calls / 10; call += 1) work();
  const start = process.cpuUsage();
  for (let call = 0; call < calls; call += 1) work();
  const { user, system } = process.cpuUsage(start);
  return ((user + system) / calls).toFixed(1);
}

process.stdout.write('| Document | BSON bytes | decode µs | parse µs |\n|---|---|---|---|\n');
for (const pages of [0, 10, 125]) {
  const bytes = BSON.serialize(refresh(pages));
  const document = BSON.deserialize(bytes) as { readonly _id: unknown };
  const calls = pages > 10 ? 5_000 : 50_000;
  const decode = cpuMicros(calls, () => BSON.deserialize(bytes));
  const parse = cpuMicros(calls, () => parseDocument(refreshes, document));
  process.stdout.write(`| refresh of ${pages} pages | ${bytes.length} | ${decode} | ${parse} |\n`);
}
