import { upsert } from '@inventory/mongo/duplicate-key';
import { parseDocument, readEach } from '@inventory/mongo/parse-document';
import { dateOf } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { Collection } from 'mongodb';
import { z } from 'zod';
import { type QuarterHour, quarterHourMs, quarterHoursShown } from './quarter-hours.domain.ts';

const quarterHour = z.object({
  /** When it begins. */
  _id: z.number(),
  completed: z.int().default(0),
  failed: z.int().default(0),
  /** By the index of their bound. */
  waits: z.record(z.string(), z.int()).default({}),
  expireAt: z.date(),
});
export type QuarterHourDocument = z.infer<typeof quarterHour>;
const document = { collection: 'quarterHours', schema: quarterHour };

export type QuarterHourStore = ReturnType<typeof createQuarterHourStore>;

/** A document for each quarter of an hour of a day: what all replicas counted in it. */
export function createQuarterHourStore(quarters: Collection<QuarterHourDocument>, logger: Logger) {
  return {
    /** Adds what this replica counted. */
    async add({ startMs, completed, failed, waits }: QuarterHour): Promise<void> {
      const counts = waits.flatMap((count, at) => (count === 0 ? [] : [[`waits.${at}`, count]]));
      const expireAt = dateOf(startMs + (quarterHoursShown + 1) * quarterHourMs);
      const $inc = { completed, failed, ...Object.fromEntries(counts) };
      const update = { $inc, $setOnInsert: { expireAt } };
      await upsert(() => quarters.updateOne({ _id: startMs }, update, { upsert: true }));
    },
    /** Those from a time on, in their order; none where nothing ended. */
    async readSince(sinceMs: number): Promise<QuarterHour[]> {
      const found = await quarters.find({ _id: { $gte: sinceMs } }).toArray();
      return readEach(found, (stored) => parseDocument(document, stored), logger)
        .map(({ _id: startMs, completed, failed, waits }) => {
          const last = Math.max(-1, ...Object.keys(waits).map(Number));
          const counts = Array.from({ length: last + 1 }, (_, at) => waits[String(at)] ?? 0);
          return { startMs, completed, failed, waits: counts };
        })
        .toSorted((left, right) => left.startMs - right.startMs);
    },
  };
}
