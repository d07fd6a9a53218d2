import type { Handlers } from '@inventory/messaging/dispatch';
import type { Scanning } from './open-scanning.ts';
import { recordAbandonedScan } from './record-abandoned-scan.ts';
import { recordCompletedScan } from './record-completed-scan.ts';
import type { Assemblies } from './start-assemblies.ts';

export function onRevisionCommands(scanning: Scanning, assemblies: Assemblies): Handlers {
  return {
    'revision.completed.v1': ({ body: { accountId: _, ...scan } }) =>
      recordCompletedScan(scanning, assemblies, scan),
    'revision.abandoned.v1': ({ body }) => recordAbandonedScan(scanning, body),
  };
}
