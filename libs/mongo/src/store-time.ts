import type { Db } from 'mongodb';
import { z } from 'zod';

const hello = z.object({ localTime: z.date() });

/** The clock of the primary, in milliseconds since the epoch. */
export async function readStoreTime(db: Db): Promise<number> {
  return hello.parse(await db.command({ hello: 1 })).localTime.getTime();
}
