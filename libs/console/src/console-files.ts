import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the bundler wrote: the page, and by their names the files that it loads. */
export interface ConsoleFiles {
  readonly html: string;
  /** The name of each has a hash of its content. */
  readonly assets: ReadonlyMap<string, Buffer>;
}

const folder = join(__dirname, '../dist/page');

/** Where the page of the bundle expects its files. */
export const assetsPath = '/console/assets';

/** The bundle that `scripts/bundle-console.js` builds. */
export function readConsoleFiles(): ConsoleFiles {
  const assets = join(folder, 'assets');
  return {
    html: readFileSync(join(folder, 'index.html'), 'utf8'),
    assets: new Map(readdirSync(assets).map((name) => [name, readFileSync(join(assets, name))])),
  };
}
