import { statfsSync } from 'node:fs';
import { SetupError } from './setup-error.ts';

const bytesPerMiB = 1024 * 1024;

/** Throws when less than `neededMiB` is free on the disk of an existing directory. */
export function assertFreeSpace(directory: string, neededMiB: number, purpose: string): void {
  const { bavail, bsize } = statfsSync(directory);
  const freeMiB = Math.floor((bavail * bsize) / bytesPerMiB);
  if (freeMiB >= neededMiB) return;
  throw new SetupError(
    `The disk is too full for ${purpose}: ${freeMiB} MiB are free at ${directory} and ${neededMiB} MiB are needed.`,
    'Free some space and run again.',
  );
}
