import { execFileSync } from 'node:child_process';
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasCode } from '@inventory/backends/setup-error';

/** A disk of its own at a directory, in memory. */
export interface SmallDisk {
  /** Takes what space there is, and what becomes free, until `free`. */
  fill(): void;
  free(): void;
  unmount(): void;
}

const refillMs = 50;
const bytesPerMiB = 1024 * 1024;

export function mountSmallDisk(directory: string, sizeMiB: number): SmallDisk {
  mkdirSync(directory, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMiB}m`, 'inventory-test', directory], {
    stdio: 'pipe',
  });
  const ballast = openSync(join(directory, 'ballast'), 'w');
  let refilling: NodeJS.Timeout | undefined;
  return {
    fill() {
      takeAll(ballast);
      refilling ??= setInterval(() => takeAll(ballast), refillMs);
    },
    free() {
      clearInterval(refilling);
      refilling = undefined;
      ftruncateSync(ballast);
    },
    unmount() {
      clearInterval(refilling);
      closeSync(ballast);
      execFileSync('umount', [directory]);
    },
  };
}

/** Whether this process may mount: on Linux as root, and not in every container. */
export function canMount(): boolean {
  const directory = mkdtempSync(join(tmpdir(), 'small-disk-'));
  try {
    mountSmallDisk(directory, 1).unmount();
    return true;
  } catch {
    return false;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** To the last byte. */
function takeAll(file: number): void {
  for (let size = bytesPerMiB; size >= 1; size /= 2) {
    const part = Buffer.alloc(size);
    try {
      for (;;) writeSync(file, part);
    } catch (error) {
      if (!hasCode(error, 'ENOSPC')) throw error;
    }
  }
}
