import { join } from 'node:path';
import { logApi } from '@inventory/contracts/internal/event-log';
import { inventoryApi } from '@inventory/contracts/internal/inventory';
import { ledgerApi } from '@inventory/contracts/internal/ledger';
import type { InternalOperation } from '@inventory/contracts/internal/operations';
import { refreshApi } from '@inventory/contracts/internal/refresh';
import { eventAccessApi, webhookApi } from '@inventory/contracts/internal/webhooks';
import { type ServiceName, serviceNames } from '@inventory/contracts/topics';
import { programOf, root } from '../tidy/tracked-files.ts';

const declared: Readonly<Record<string, InternalOperation>> = named({
  inventoryApi,
  ledgerApi,
  logApi,
  refreshApi,
  eventAccessApi,
  webhookApi,
});

/** Each operation by its name in the sources. */
function named(apis: Readonly<Record<string, Readonly<Record<string, InternalOperation>>>>) {
  const entries = Object.entries(apis).flatMap(([api, operations]) =>
    Object.entries(operations).map(([name, operation]) => [`${api}.${name}`, operation] as const),
  );
  return Object.fromEntries(entries);
}

/** The internal routes in the sources of a service: their addresses and the callers they name. */
function routesOf(service: ServiceName) {
  const texts = programOf(service).map(({ text }) => text);
  const own = texts
    .flatMap((text) => [...text.matchAll(/template: ([\w.]+),\s+callers: \[([^\]]+)\]/g)])
    .map(([, address = '', list = '']) => ({
      address,
      callers: serviceNames.filter((name) => list.includes(`'${name}'`)),
    }));
  const shared = texts
    .flatMap((text) => [...text.matchAll(/internalRoute\(\{\s+\.\.\.(\w+\.\w+),/g)])
    .map(([, address = '']) => ({ address, callers: declared[address]?.callers ?? [] }));
  return [...own, ...shared];
}

test('every declared operation is served, by one service', () => {
  const served = serviceNames.flatMap(routesOf).map(({ address }) => address);

  expect(served.filter((address) => address in declared).toSorted()).toEqual(
    Object.keys(declared).toSorted(),
  );
});

test.each(serviceNames)(
  'the routes of %s name the services that have its address, and no other',
  async (callee) => {
    const setting = `${callee.toUpperCase().replaceAll('-', '_')}_URL`;
    const having: ServiceName[] = [];
    for (const name of serviceNames) {
      const { settings } = (await import(join(root, 'services', name, 'src/config.ts'))) as {
        settings: object;
      };
      if (setting in settings) having.push(name);
    }
    const named = new Set(routesOf(callee).flatMap(({ callers }) => callers));

    expect(serviceNames.filter((name) => named.has(name))).toEqual(having);
  },
);

test('two services share the routes that both use; every other route has one caller', () => {
  const shared = serviceNames
    .flatMap(routesOf)
    .filter(({ callers }) => callers.length > 1)
    .map(({ address }) => address);

  expect(shared).toEqual(['inventoryPaths.chunk', 'inventoryApi.readEpoch']);
});
