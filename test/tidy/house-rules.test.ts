import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { serviceNames } from '@inventory/contracts/topics';
import { redactedNames } from '@inventory/runtime/redact';
import { serviceSettings } from '@inventory/runtime/service-settings';
import { readJson, root, type TrackedFile, trackedFiles } from './tracked-files.ts';

const sources = trackedFiles(/^(libs|services|deploy|test)\/.*\.tsx?$/);
const product = sources.filter(
  ({ path }) => /^(libs|services)\/[^/]+\/src\//.test(path) && !path.endsWith('.test.ts'),
);

/** The lines that match a pattern, as `path: text`. */
function occurrences(files: readonly TrackedFile[], pattern: RegExp): string[] {
  return files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .filter((line) => pattern.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  );
}

describe('every service', () => {
  it.each(serviceNames)(
    '%s describes exactly the settings it has beside those of all',
    async (name) => {
      const { settings } = (await import(join(root, 'services', name, 'src/config.ts'))) as {
        settings: Record<string, { description?: string }>;
      };
      const [page] = trackedFiles(/^docs\/generated\/settings\.md$/);
      const [readme] = trackedFiles(new RegExp(`^services/${name}/README\\.md$`));
      const section = page?.text.split(/^## /m).find((one) => one.startsWith(`${name}\n`)) ?? '';
      const described = [...section.matchAll(/^\| `([A-Z][A-Z0-9_]+)` \|/gm)];
      expect(readme?.text).toContain(`settings.md#${name}`);
      expect(readme?.text).not.toMatch(/^\| `[A-Z][A-Z0-9_]+` \|/m);
      expect(described.map(([, setting]) => setting).toSorted()).toEqual(
        Object.keys(settings)
          .filter((setting) => !(setting in serviceSettings))
          .toSorted(),
      );
      for (const [setting, schema] of Object.entries(settings)) {
        expect(`${setting}: ${schema.description ?? 'no description'}`).not.toContain(
          'no description',
        );
      }
    },
  );
});

describe('every package', () => {
  const packages = trackedFiles(/^(libs|services|deploy|test)\/[^/]+\/package\.json$/).map(
    ({ path }) => path.replace('/package.json', ''),
  );

  it.each(packages)('%s references, declares and imports the same packages of ours', (folder) => {
    const { references = [] } = readJson<{ references?: { path: string }[] }>(
      `${folder}/tsconfig.json`,
    );
    const manifest = readJson<Record<string, Record<string, string> | undefined>>(
      `${folder}/package.json`,
    );
    const imported = new Set(
      product
        .concat(sources.filter(({ path }) => /^(deploy|test)\//.test(path)))
        .filter(({ path }) => path.startsWith(`${folder}/src/`) && !path.endsWith('.test.ts'))
        .flatMap(({ text }) => [...text.matchAll(/from '@inventory\/([a-z-]+)\//g)])
        .map(([, name]) => name),
    );
    const declared = Object.keys(manifest['dependencies'] ?? {})
      .filter((name) => name.startsWith('@inventory/'))
      .map((name) => name.replace('@inventory/', ''));
    expect(declared.toSorted()).toEqual([...imported].toSorted());
    expect(references.map(({ path }) => path.split('/').at(-1)).toSorted()).toEqual(
      [...imported].toSorted(),
    );
  });
});

describe('the sources', () => {
  it('take time and chance as arguments', () => {
    const free = /^libs\/(runtime|testkit|backends)\/|^libs\/console\/src\/page\/main\.tsx$/;
    const bound = product.filter(({ path }) => !free.test(path));
    expect(
      occurrences(bound, /Date\.now\(|new Date\(\)|Math\.random\(|performance\.now\(/),
    ).toEqual([]);
  });

  it('read the environment in one occurrence per process', () => {
    const free = /^libs\/(runtime\/src\/telemetry|service-host\/src\/run-main|testkit)|\/main\.ts$/;
    const bound = product.filter(({ path }) => !free.test(path));
    expect(occurrences(bound, /process\.env/)).toEqual([]);
  });

  it('hold no skipped or focused test, no mocked module, no unowned promise of later work', () => {
    const patterns = /\b(it|describe|test)\.(only|skip|todo)\(|\bjest\.mock\(|FIXME|TODO(?!\(#\d)/;
    const here = 'test/tidy/house-rules.test.ts';
    const others = sources.filter(({ path }) => path !== here);
    expect(occurrences(others, patterns)).toEqual([]);
  });

  it('judge a time in long tests only, and hold no rule by them alone (decisions/0008)', () => {
    const short = sources.filter(({ path }) => !path.endsWith('.long.test.ts'));
    const own =
      /^(libs\/testkit\/src\/wait-for\.ts|test\/(tidy\/house-rules|support\/start-command))/;
    const files = short.filter(({ path }) => /\/test\/|^test\/|\.test\.ts$/.test(path));
    expect(occurrences(files, /\bwithinMs:/).filter((occurrence) => !own.test(occurrence))).toEqual(
      [],
    );
    const [map] = trackedFiles(/^docs\/generated\/spec-map\.md$/);
    expect(map?.text).toContain('## Rules that no test of `npm test` holds\n\nNone.');
  });

  it('distinguish errors by class or by code', () => {
    const byName =
      /([Ee]rror|cause|reason|failure)\)?\.(name|message) [!=]==|'name' in |\.name [!=]== '[A-Z]/;
    expect(occurrences(product, byName)).toEqual([]);
  });

  it('repeat writes of many documents, which the driver does not (operators/mongodb: elections)', () => {
    const writes = /(retryOnce\(\(\) =>\s*)?\w+\.(?:updateMany|deleteMany)\(/g;
    const once = product
      .filter(({ path }) => path.startsWith('services/'))
      .flatMap(({ path, text }) =>
        [...text.matchAll(writes)].flatMap(([write, retry]) =>
          retry ? [] : [`${path}: ${write}`],
        ),
      );
    expect(once).toEqual([]);
  });

  it('redact every header that carries a secret', () => {
    for (const header of ['x-api-key', 'authorization', 'x-service-token', 'cookie']) {
      expect(redactedNames).toContain(header);
    }
  });
});

describe('the repository', () => {
  it('has every file that its documents name by path', () => {
    const named = /`((?:services|libs|deploy|test|scripts)\/[\w./-]+\.\w+)`/g;
    const missing = trackedFiles(/\.md$/).flatMap(({ path, text }) =>
      [...text.matchAll(named)]
        .map(([, file = '']) => file)
        .filter(
          (file) => !existsSync(join(root, path, '..', file)) && !existsSync(join(root, file)),
        )
        .map((file) => `${path}: ${file}`),
    );
    expect(missing).toEqual([]);
  });

  it('has the files by which docs/contributors/architecture.md follows a refresh, as many as it states', () => {
    const [document] = trackedFiles(/^docs\/contributors\/architecture\.md$/);
    const [, section = ''] = document?.text.split('## A refresh, file by file') ?? [];
    const rows = [...section.matchAll(/^\|[^|]*\| `((?:services|libs)\/[^`]+)` \| (.+) \|$/gm)];
    const files = rows.flatMap(([, folder, names = '']) =>
      [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => `${folder}/${name}.ts`),
    );
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
    expect(section).toContain(`open ${new Set(files).size} files`);
  });

  it('names no machine path and no registry host', () => {
    const files = trackedFiles(/\.(ts|js|cjs|json|md|yml|yaml|sh)$|Dockerfile|^\.ci\//).filter(
      ({ path }) => path !== 'test/tidy/house-rules.test.ts',
    );
    const machine =
      /registry\.npmjs|pypi\.org|repo1?\.maven|crates\.io|\/work\/main|\/root\/|\/home\/(?!someone\b)[a-z]/;
    expect(occurrences(files, machine)).toEqual([]);
  });

  it('has one exact version of every package it declares', () => {
    const declared = new Map<string, Set<string>>();
    for (const { path } of trackedFiles(/(^|\/)package\.json$/)) {
      const manifest = readJson<Record<string, Record<string, string> | undefined>>(path);
      for (const [name, version] of [
        ...Object.entries(manifest['dependencies'] ?? {}),
        ...Object.entries(manifest['devDependencies'] ?? {}),
      ]) {
        declared.set(name, (declared.get(name) ?? new Set()).add(version));
      }
    }
    const loose = [...declared].filter(
      ([, versions]) =>
        versions.size !== 1 || [...versions].some((version) => /^[\^~*]/.test(version)),
    );
    expect(loose).toEqual([]);
  });
});
