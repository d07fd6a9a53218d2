import { environmentOfPlatformId } from '@inventory/contracts/environment';
import { scopePath } from '@inventory/contracts/http/parameters';
import {
  quarantineLifted,
  quarantineList,
  verifyReport,
} from '@inventory/contracts/internal/ledger';
import { admissionChange, admissionView, refreshApi } from '@inventory/contracts/internal/refresh';
import { inventoryKey } from '@inventory/contracts/inventory-key';
import { z } from 'zod';
import { operatorRoute, sameAs } from './operator-route.ts';
import { accountPath, emptyBody } from './operator-schemas.ts';

const tag = 'Services';

/** Operations of other services for operators. */
export const serviceRoutes = [
  operatorRoute({
    ...sameAs(refreshApi.readAdmission),
    operationId: 'readAdmission',
    command: 'admission show',
    tag,
    summary: 'Whether new refreshes are admitted, and how many are outstanding',
    role: 'read',
    handle: ({ collectorOf }) => collectorOf('live').call(refreshApi.readAdmission, {}),
  }),
  operatorRoute({
    operationId: 'switchAdmission',
    command: {
      'admission close': { operator_closed: true },
      'admission open': { operator_closed: false },
    },
    tag,
    summary: 'Close or open the admission of refreshes',
    description: 'Accepted refreshes continue. Opening leaves the limit of outstanding refreshes.',
    method: 'PUT',
    path: '/admission',
    role: 'admin',
    action: 'admission.change',
    input: { body: admissionChange },
    response: admissionView,
    // Other reasons stay.
    handle: ({ collectorOf }, input) => collectorOf('live').call(refreshApi.setAdmission, input),
  }),
  operatorRoute({
    operationId: 'eraseInventory',
    command: 'erase',
    irreversible: 'All revisions of this inventory are deleted, for every customer:',
    tag,
    summary: 'Erase everything that is saved of one inventory',
    description: 'A scan of it that is under way ends as `incomplete`, free.',
    method: 'DELETE',
    path: '/inventories/{platform_id}/{app_id}/{context_id}',
    role: 'admin',
    action: 'inventory.erase',
    input: { path: scopePath },
    response: inventoryKey.extend({ erased: z.literal(true) }),
    async handle({ inventories, captures, collectorOf }, { path }) {
      const collector = collectorOf(environmentOfPlatformId(path.platform_id));
      await inventories.eraseInventory(path);
      await captures.eraseInventory(path);
      // After it: a scan that began before cannot record what it saw.
      await collector.call(refreshApi.eraseInventory, { path });
      return { ...path, erased: true } as const;
    },
  }),
  operatorRoute({
    operationId: 'verifyLedger',
    command: 'verify',
    tag,
    summary: 'Recompute every account of the ledger from its journal',
    method: 'POST',
    path: '/ledger/verify',
    role: 'billing',
    action: 'ledger.verify',
    input: { body: emptyBody },
    response: verifyReport,
    handle: ({ ledger }) => ledger.verifyJournals(),
  }),
  operatorRoute({
    operationId: 'listQuarantinedAccounts',
    command: 'quarantine list',
    tag,
    summary: 'Accounts whose journal does not add up: their commands are not evaluated',
    method: 'GET',
    path: '/ledger/quarantine',
    role: 'read',
    input: {},
    response: quarantineList,
    handle: ({ ledger }) => ledger.listQuarantined(),
  }),
  operatorRoute({
    operationId: 'liftQuarantine',
    command: 'quarantine lift',
    tag,
    summary: 'Evaluate the commands of an account again, after its journal was restored',
    method: 'POST',
    path: '/ledger/quarantine/{account_id}/lift',
    role: 'admin',
    action: 'ledger.quarantine.lift',
    input: { path: accountPath, body: emptyBody },
    response: quarantineLifted,
    handle: ({ ledger }, { path }) => ledger.liftQuarantine(path.accountId),
  }),
];
