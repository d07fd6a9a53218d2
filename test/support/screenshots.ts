import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Where a picture of a page is written: `TEST_SCREENSHOTS=docs` replaces those that documents show. */
export function screenshotPath(name: string, isDocumented = false): string {
  const inDocuments = isDocumented && process.env['TEST_SCREENSHOTS'] === 'docs';
  const folder = join(__dirname, '../..', inDocuments ? 'docs/customers' : '.local/screenshots');
  mkdirSync(folder, { recursive: true });
  return join(folder, `${name}.png`);
}
