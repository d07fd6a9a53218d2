import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJson, root } from '../tidy/tracked-files.ts';

const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8').replaceAll(/\\\n\s*/g, '');
const lines = dockerfile.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
const stages = lines.reduce<string[][]>((found, line) => {
  if (line.startsWith('FROM ')) found.push([]);
  found.at(-1)?.push(line);
  return found;
}, []);
const last = stages.at(-1) ?? [];
const words = (instruction: string) =>
  last
    .filter((line) => line.startsWith(`${instruction} `))
    .map((line) => line.slice(instruction.length + 1));

/** What the image holds is made by scripts/image.js, which test/e2e/image.test.ts runs. */
describe('the Dockerfile', () => {
  it('is based on the Node that is tested', () => {
    const { optionalDependencies } = readJson<{ optionalDependencies: Record<string, string> }>(
      'package.json',
    );
    const [version, ...others] = new Set(Object.values(optionalDependencies));
    expect(others).toEqual([]);
    expect(dockerfile).toContain(`ARG NODE_IMAGE=node:${version}-bookworm-slim`);
    expect(stages[0]?.[0]?.replaceAll(/[${}]/g, '')).toBe('FROM NODE_IMAGE AS base');
    expect(words('COPY')).toContain('--from=base /usr/local/bin/node /usr/local/bin/node');
  });

  it('ends on a base without a shell, and needs none: nothing is run through one', () => {
    expect(last[0]?.replaceAll(/[${}]/g, '')).toBe('FROM RUNTIME_IMAGE');
    expect(dockerfile).toMatch(/^ARG RUNTIME_IMAGE=gcr\.io\/distroless\/cc-debian12:nonroot@/m);
    for (const instruction of ['ENTRYPOINT', 'HEALTHCHECK']) {
      expect(words(instruction)).toEqual([expect.stringMatching(/\["node", "[^"]+"\]$/)]);
    }
    expect([...words('RUN'), ...words('CMD'), ...words('SHELL')]).toEqual([]);
  });

  it('names each base by its digest: a tag that moves changes no image', () => {
    const bases = lines.filter((line) => /^ARG [A-Z]+_IMAGE=/.test(line));
    expect(bases.map((line) => line.replace(/=.*@sha256:[0-9a-f]{64}$/, ''))).toEqual([
      'ARG NODE_IMAGE',
      'ARG RUNTIME_IMAGE',
    ]);
  });

  it('ends in an image of the program alone, which runs without privileges', () => {
    expect(words('COPY')).toEqual([
      '--from=base /usr/local/bin/node /usr/local/bin/node',
      '--from=program /program /app',
    ]);
    expect(words('USER')).toEqual(['1000:1000']);
  });

  it('takes only what is compiled into the build: no secret, history, data or test', () => {
    const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
    expect(ignored.find((line) => line !== '' && !line.startsWith('#'))).toBe('*');
    for (const kept of ['.git', '.local', '.env', 'node_modules', 'docs']) {
      expect(ignored).not.toContain(`!${kept}`);
    }
    expect(ignored).toEqual(expect.arrayContaining(['**/node_modules', '**/dist', '**/.env*']));
  });
});
