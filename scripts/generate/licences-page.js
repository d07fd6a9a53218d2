'use strict';

const { shippedPackages } = require('./shipped-packages.js');

/** The page of every third-party package in the product, with its licence. */
function licencesPage(root) {
  const packages = shippedPackages(root);
  const counts = Map.groupBy(packages, ({ licence }) => licence ?? 'unknown');
  const summary = [...counts]
    .toSorted(([, left], [, right]) => right.length - left.length)
    .map(([licence, those]) => `| ${licence} | ${those.length} |`);
  const rows = packages.map(
    ({ name, version, licence, users }) =>
      `| ${name} | ${version} | ${licence ?? 'unknown'} | ${users.join(', ')} |`,
  );
  const content = [
    '# Licences',
    '',
    'Generated from the lockfile (`npm run generate`): third-party packages in the images, both',
    'command lines and the client library. The licence texts are in the `node_modules` of',
    'each image. `test/deploy/licences.test.ts` lists the allowed licences. The same in CycloneDX:',
    '`npm run -s sbom`.',
    '',
    'Kafka, MongoDB and the collectors of traces and metrics are separate servers under their own',
    'licences and no part of the product. The images hold Node.js with its licences.',
    '',
    '| Licence | Packages |',
    '|---|---|',
    ...summary,
    '',
    '| Package | Version | Licence | In |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
  return { path: 'docs/generated/licences.md', content };
}

module.exports = { licencesPage };
