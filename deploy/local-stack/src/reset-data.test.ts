import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimVolume, isInVolumes } from '@inventory/backends/container-data';
import { openLocalDirectory } from './local-directory.ts';
import { resetData } from './reset-data.ts';

/** Without the programs of Docker. */
const environment = { PATH: '/nowhere' };
let path: string;

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'reset-data-'));
});

afterEach(() => rmSync(path, { recursive: true, force: true }));

test('data in Docker volumes that cannot be removed are not forgotten', async () => {
  const directory = openLocalDirectory(path);
  claimVolume(directory.dataDir, 'kafka');

  await expect(resetData(path, environment)).rejects.toThrow(/Docker/);

  expect(isInVolumes(directory.dataDir)).toBe(true);
});
