import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const installed = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
/**
 * A headless Chromium: the one of TEST_BROWSER, an installed one, or on Linux the one of a package
 * that includes its libraries.
 */
export async function openBrowser(): Promise<Browser> {
  const known = [process.env['TEST_BROWSER'] ?? '', ...installed].find((path) => existsSync(path));
  // No requests to its vendor, and no rights that a container lacks.
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--disable-background-networking',
  ];
  if (known !== undefined) return await chromium.launch({ executablePath: known, args });
  const libraries = join(tmpdir(), 'al2023', 'lib');
  return await chromium.launch({
    executablePath: execFileSync(process.execPath, [join(__dirname, 'unpack-browser.ts')], {
      encoding: 'utf8',
      // Makes the package unpack its libraries too.
      env: { ...process.env, AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' },
    }),
    args,
    env: { ...process.env, LD_LIBRARY_PATH: libraries },
  });
}
