import { monotonicNow } from '@inventory/runtime/clock';
import { pause } from '@inventory/runtime/wait';

/** The watchdog gives a server 5 s to stop by itself; a busy machine takes longer. */
export async function untilTrue(reason: string, check: () => boolean): Promise<void> {
  const begunMs = monotonicNow();
  while (!check()) {
    if (monotonicNow() - begunMs > 30_000) throw new Error(`waited in vain: ${reason}`);
    await pause(50);
  }
}
