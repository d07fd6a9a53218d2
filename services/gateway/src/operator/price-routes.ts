import { ledgerApi, priceLeadMs } from '@inventory/contracts/internal/ledger';
import { priceList } from '@inventory/contracts/messages/price-list';
import { operatorRoute, sameAs } from './operator-route.ts';
import { listOf } from './operator-schemas.ts';

const tag = 'Prices';

export const priceRoutes = [
  operatorRoute({
    operationId: 'listPriceLists',
    command: 'prices list',
    columns: [
      'version',
      'effective_at',
      'refresh_reservation',
      'refresh_block',
      'refresh_block_assets',
      'refresh_diagnostic',
      'watch_changed_block',
      'watch_unchanged_block',
      'live_page',
      'current_page',
    ],
    tag,
    summary: 'Every published price list, by version',
    method: 'GET',
    path: '/price-lists',
    role: 'read',
    input: {},
    response: listOf(priceList),
    handle: async ({ ledger }) => ({
      items: [...(await ledger.listPriceLists())],
      nextCursor: null,
    }),
  }),
  operatorRoute({
    ...sameAs(ledgerApi.publishPriceList),
    operationId: 'publishPriceList',
    command: 'prices publish',
    irreversible: 'This version is published for every customer, and never changes afterwards:',
    tag,
    summary: 'Publish the next version of the price list',
    description:
      `Takes effect at \`effective_at\`, at least ${priceLeadMs / 1_000} s ahead, or so soon where it is ` +
      'absent. A published list never changes: the same version with the same prices again changes ' +
      'nothing. The highest version in effect is in force, so a higher version with an earlier or ' +
      'the same date replaces an announced one.',
    role: 'billing',
    action: 'prices.publish',
    handle: ({ ledger }, { path, body }) => ledger.publishPriceList(path.version, body),
  }),
];
