import { statfsSync } from 'node:fs';
import { ProvisionError } from './provision-error.ts';

const bytesPerMiB = 1024 * 1024;

/** Throws when less than `neededMiB` is free where `folder` (which exists) lies. */
export function assertFreeSpace(folder: string, neededMiB: number, purpose: string): void {
  const { bavail, bsize } = statfsSync(folder);
  const freeMiB = Math.floor((bavail * bsize) / bytesPerMiB);
  if (freeMiB >= neededMiB) return;
  throw new ProvisionError(
    `The disk is too full for ${purpose}: ${freeMiB} MiB are free at ${folder} and ${neededMiB} MiB are needed. Free some space and run again.`,
  );
}
