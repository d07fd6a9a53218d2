import { join } from 'node:path';
import { type ServiceName, serviceNames } from '@inventory/contracts/topics';
import { programOf, root } from '../tidy/tracked-files.ts';

/** The internal routes in the sources of a service: their addresses and the callers they name. */
function routesOf(service: ServiceName) {
  return programOf(service)
    .flatMap(({ text }) => [...text.matchAll(/template: ([\w.]+),\s+callers: \[([^\]]+)\]/g)])
    .map(([, address = '', list = '']) => ({
      address,
      callers: serviceNames.filter((name) => list.includes(`'${name}'`)),
    }));
}

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

  expect(shared).toEqual(['inventoryPaths.chunk']);
});
