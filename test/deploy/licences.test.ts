import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../tidy/tracked-files.ts';

interface ShippedPackage {
  readonly name: string;
  readonly version: string;
  readonly licence?: string;
  readonly users: readonly string[];
}

interface Component {
  readonly purl: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses?: readonly unknown[];
}

const { shippedPackages } = require('../../scripts/generate/shipped-packages.js') as {
  shippedPackages: (folder: string) => readonly ShippedPackage[];
};
const packages = shippedPackages(root);

/** They ask for their notice to be kept, and nothing of the programs that use them. */
const permissive = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Unlicense',
]);

test('every package that is shipped has a licence that asks for no more than its notice', () => {
  const others = packages.filter(({ licence }) => !permissive.has(licence ?? ''));

  expect(packages.length).toBeGreaterThan(50);
  expect(others.map(({ name, licence }) => `${name}: ${licence}`)).toEqual([]);
});

describe('npm run sbom', () => {
  const componentsOf = (...args: string[]): readonly Component[] =>
    JSON.parse(
      execFileSync(process.execPath, [join(root, 'scripts/sbom.js'), ...args], {
        encoding: 'utf8',
      }),
    ).components;

  it('names every package that is shipped, with its checksum and its licence', () => {
    const components = componentsOf();

    expect(components.map(({ purl }) => decodeURIComponent(purl))).toEqual(
      packages.map(({ name, version }) => `pkg:npm/${name}@${version}`),
    );
    for (const { hashes, licenses } of components) {
      expect(licenses).toHaveLength(1);
      expect(hashes).toEqual([
        { alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) },
      ]);
    }
  });
});
