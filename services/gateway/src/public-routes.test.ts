import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { publicRoutes } from './public-routes.ts';

/** Files of one operation, or of several on one thing; the operator API has its own. */
const routeFiles = readdirSync(__dirname, { recursive: true, encoding: 'utf8' }).filter((path) =>
  /^(?!operator)[a-z]+\/[a-z0-9-]+-routes?\.ts$/.test(path),
);

test.each(publicRoutes.map(({ operationId }) => operationId))(
  '%s is declared in one file of a feature: of its own name, or of the thing that it is on',
  (operationId) => {
    const declaration = new RegExp(`operationId: .*'${operationId}'`);
    const declaring = routeFiles.filter((path) =>
      declaration.test(readFileSync(join(__dirname, path), 'utf8')),
    );

    expect(declaring).toHaveLength(1);
    expect(declaring[0]).toMatch(new RegExp(`/(${fileNameOf(operationId)}|[a-z-]+-routes\\.ts)$`));
  },
);

/** The alias of a version 1 route is declared with its original. */
function fileNameOf(operationId: string): string {
  const words = operationId
    .replace(/Alias$/, '')
    .replace(/[A-Z]/g, '-$&')
    .toLowerCase();
  return `${words}-route\\.ts`;
}
