'use strict';

const { shippedPackages } = require('./shipped-packages.js');

/** The page that names every package of others in what is shipped, and its licence. */
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
    'Generated from the lockfile (`npm run generate`): packages of others that the images, the',
    "operator's command line and the client library bring along. Their texts lie beside them, in",
    'the `node_modules` of each image. Which licences are allowed is a test',
    '(`test/deploy/licences.test.ts`). The same in CycloneDX: `npm run -s sbom`.',
    '',
    'Kafka, MongoDB, and what collects traces and metrics are servers of their own, under their own',
    'licences, and no part of this. The images hold Node.js, with the licences that come with it.',
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
