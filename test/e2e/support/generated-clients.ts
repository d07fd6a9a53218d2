import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDirectory, provideCached } from '@inventory/backends/cache-directory';
import { provideGoProgram } from '../../support/provide-go-program.ts';
import { machineEnvironment } from '../../support/start-command.ts';
import { providePythonPackages } from './python-environment.ts';

/** A program that a customer writes on what a generator makes of the served document. */
export interface GeneratedClient {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Generates in this folder from its `openapi.json`, and compiles the story with what was generated.
 * Null where the generator cannot be fetched: the reason is printed.
 */
type Generate = (folder: string) => Promise<GeneratedClient | null>;

const stories = join(__dirname, 'generated-clients');
const compileMs = 600_000;
/** The generators, as the page of customers names them. */
export const generatorPackages = {
  npm: '@hey-api/openapi-ts@0.99.0',
  python: 'openapi-python-client==0.29.1',
  go: 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2',
};
const npmPackages = [generatorPackages.npm, 'typescript@5.9.3', '@types/node@24.19.2'];
const pythonPackages = [generatorPackages.python, 'mypy==2.4.1'];
const goRuntime = 'github.com/oapi-codegen/runtime@v1.9.0';

/** Rejects with what the command printed. */
async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const options = { cwd, env: { ...machineEnvironment(), ...env }, timeout: compileMs };
  await promisify(execFile)(command, args, options).catch((error) => {
    throw new Error(`${command} ${args[0]}: ${error.stdout}${error.stderr}`, { cause: error });
  });
}

function copyStory(name: string, folder: string): void {
  copyFileSync(join(stories, name), join(folder, name));
}

async function ofTypeScript(folder: string): Promise<GeneratedClient | null> {
  const modules = await provideCached({
    cacheDir: cacheDirectory(machineEnvironment()),
    name: `npm-${npmPackages.join('_').replace(/[^a-z0-9.]+/gi, '-')}`,
    spaceNeededMiB: 100,
    make: (target) =>
      run(
        'npm',
        [
          'install',
          '--prefix',
          target,
          '--ignore-scripts',
          '--no-audit',
          '--no-fund',
          ...npmPackages,
        ],
        target,
      ),
  }).catch((error: unknown) => {
    process.stderr.write(`NOT GENERATED FOR TYPESCRIPT: ${error}\n`);
    return null;
  });
  if (modules === null) return null;
  const binOf = (name: string) => join(modules, 'node_modules/.bin', name);
  const types = ['--types', 'node', '--typeRoots', join(modules, 'node_modules/@types')];
  const client = ['-o', 'inventory', '-c', '@hey-api/client-fetch', '--no-log-file'];
  await run(binOf('openapi-ts'), ['-i', 'openapi.json', ...client], folder);
  copyStory('story.mts', folder);
  const strict = ['--strict', '--target', 'es2022', '--module', 'nodenext', ...types];
  await run(binOf('tsc'), [...strict, '--outDir', 'compiled', 'story.mts'], folder);
  return { command: process.execPath, args: [join(folder, 'compiled/story.mjs')] };
}

async function ofPython(folder: string): Promise<GeneratedClient | null> {
  const packages = await providePythonPackages('generators', pythonPackages).catch(
    (error: unknown) => {
      process.stderr.write(`NOT GENERATED FOR PYTHON: ${error}\n`);
      return null;
    },
  );
  if (packages === null) return null;
  const path = `${join(packages, 'bin')}:${machineEnvironment()['PATH']}`;
  const env = { PYTHONPATH: packages, PATH: path };
  const generate = ['--path', 'openapi.json', '--output-path', 'inventory', '--meta', 'none'];
  await run('openapi-python-client', ['generate', ...generate, '--fail-on-warning'], folder, env);
  copyStory('story.py', folder);
  // The generator's own client.py is not typed strictly: it is followed, not judged.
  const judged = ['--strict', '--follow-imports', 'silent', 'story.py', 'inventory/models'];
  await run('python3', ['-m', 'mypy', ...judged, 'inventory/api'], folder, env);
  return { command: 'python3', args: ['-W', 'error', join(folder, 'story.py')], env };
}

async function ofGo(folder: string): Promise<GeneratedClient | null> {
  const generator = await provideGoProgram({
    name: 'oapi-codegen',
    package: generatorPackages.go,
    otherwise: 'no client was generated for Go',
  });
  if (generator === null) return null;
  copyStory('story.go', folder);
  writeFileSync(join(folder, 'go.mod'), 'module example.test/story\n\ngo 1.24\n');
  mkdirSync(join(folder, 'inventory'));
  const generate = ['-generate', 'types,client,skip-prune', '-package', 'inventory'];
  await run(generator, [...generate, '-o', 'inventory/inventory.go', 'openapi.json'], folder);
  await run('go', ['get', goRuntime], folder);
  await run('go', ['mod', 'tidy'], folder);
  await run('go', ['build', '-o', 'story', '.'], folder);
  return { command: join(folder, 'story'), args: [] };
}

export const generators: readonly (readonly [string, Generate])[] = [
  ['@hey-api/openapi-ts', ofTypeScript],
  ['openapi-python-client', ofPython],
  ['oapi-codegen', ofGo],
];
