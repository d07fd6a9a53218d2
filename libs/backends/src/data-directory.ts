import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { lockHolder, tryLock } from './file-lock.ts';
import { assertFreeSpace } from './free-space.ts';
import { ProvisionError } from './provision-error.ts';

/** The folder of all native servers of one provision, held by this process until released. */
export interface DataDirectory {
  readonly path: string;
  /** Made for this run only and removed when it is released. */
  readonly temporary: boolean;
  release(): void;
}

const spaceNeededMiB = 1024;

/** Without a path: a temporary folder. Throws when another living process holds the folder. */
export function openDataDirectory(path: string | undefined): DataDirectory {
  if (path === undefined) return openTemporary();
  const folder = resolve(path);
  mkdirSync(folder, { recursive: true });
  const lockFile = join(folder, 'in-use.lock');
  const lock = tryLock(lockFile);
  if (lock === null) {
    throw new ProvisionError(
      `The data in ${folder} are in use by process ${lockHolder(lockFile)?.pid ?? 'of another start'}: stop it first (Ctrl-C there), or use another folder.`,
    );
  }
  try {
    assertFreeSpace(folder, spaceNeededMiB, 'the data of Kafka and MongoDB');
  } catch (error) {
    lock.release();
    throw error;
  }
  return { path: folder, temporary: false, release: () => lock.release() };
}

function openTemporary(): DataDirectory {
  const path = mkdtempSync(join(tmpdir(), 'inventory-backends-'));
  const remove = (): void => rmSync(path, { recursive: true, force: true });
  try {
    assertFreeSpace(path, spaceNeededMiB, 'the data of Kafka and MongoDB');
  } catch (error) {
    remove();
    throw error;
  }
  return { path, temporary: true, release: remove };
}

/** Which build wrote a server's data: another one might not read them. Null for empty data. */
export function readMaker(folder: string): string | null {
  try {
    return readFileSync(join(folder, 'made-by'), 'utf8').trim();
  } catch {
    return null;
  }
}

export function writeMaker(folder: string, maker: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'made-by'), `${maker}\n`);
}
