import { execFileSync, execSync, type StdioOptions } from 'node:child_process';
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClientEnvironment } from '../../libs/client/src/client-environment.ts';
import { root } from '../tidy/tracked-files.ts';

/** An earlier commit, compiled beside this checkout. */
export interface OlderBuild {
  /** As it was named. */
  readonly commit: string;
  readonly root: string;
  /** The client library of that commit. */
  readonly library: typeof import('@inventory/client/inventory-client');
  readonly clientEnvironment: ClientEnvironment;
  remove(): void;
}

const lockfile = 'package-lock.json';
/** Packages of the workspace have links of their own: they lead to that commit's sources. */
const ownPackages = '@inventory';

/** Of `UPGRADE_FROM`, else of the last release, else of this commit. */
export function buildOlder(): OlderBuild {
  const last = "git describe --tags --always --abbrev=0 --match 'v[0-9]*'";
  const commit =
    process.env['UPGRADE_FROM'] ?? execSync(last, { cwd: root, encoding: 'utf8' }).trim();
  const folder = mkdtempSync(join(tmpdir(), 'older-build-'));
  execSync(`git archive ${commit} | tar --extract --directory ${folder}`, { cwd: root });
  if (readFileSync(join(folder, lockfile)).equals(readFileSync(join(root, lockfile)))) {
    linkPackages(folder);
  } else {
    execFileSync('npm', ['ci', '--include=dev', '--loglevel=error'], { cwd: folder, stdio });
  }
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: folder, stdio });
  const client = (module: string) => require(join(folder, `libs/client/dist/${module}.js`));
  return {
    commit,
    root: folder,
    library: client('inventory-client'),
    clientEnvironment: client('client-environment').realEnvironment,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** What a command prints belongs to the output of the test. */
const stdio: StdioOptions = ['ignore', 2, 2];

/** The packages of this checkout, by links: the temporary folder may be on another file system. */
function linkPackages(folder: string): void {
  const installed = globSync(['node_modules', '{libs,services,deploy,test}/*/node_modules'], {
    cwd: root,
  });
  for (const packages of installed) {
    mkdirSync(join(folder, packages));
    for (const name of readdirSync(join(root, packages))) {
      const from = join(root, packages, name);
      if (name === ownPackages) execFileSync('cp', ['-R', from, join(folder, packages)]);
      else if (!name.startsWith('.')) symlinkSync(from, join(folder, packages, name));
    }
  }
}
