import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { machineEnvironment } from '../../support/start-command.ts';
import { providePythonPackages } from './python-environment.ts';

export interface FuzzedApi {
  readonly apiUrl: string;
  readonly secret: string;
  readonly projectId: string;
  /** Inventories that most requests are about. */
  readonly scopes: readonly InventoryKey[];
  readonly seed: number;
}

const packages = ['schemathesis==4.32.5'];
const phases = 'examples,coverage,fuzzing,stateful';
/** Of the fuzzing and of the stateful phase, for each operation. */
const examplesMax = 20;
const timeoutMs = 30 * 60_000;
const outputBytesMax = 64 * 2 ** 20;
const program = 'from schemathesis.cli import schemathesis; schemathesis()';
const exceptions = 'fuzzing-exceptions';

/** Null where the package cannot be fetched. */
export async function provideSchemathesis(): Promise<string | null> {
  return await providePythonPackages('fuzzing', packages).catch((error: unknown) => {
    process.stderr.write(`NOT FUZZED: schemathesis cannot be fetched: ${error}\n`);
    return null;
  });
}

/** Sends what the document allows and what it forbids; whether there was a finding, and the report. */
export async function fuzz(
  pythonPath: string,
  api: FuzzedApi,
): Promise<{ readonly passed: boolean; readonly report: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'fuzzing-'));
  const config = join(folder, 'schemathesis.toml');
  writeFileSync(config, configOf(api));
  copyFileSync(join(__dirname, `${exceptions}.py`), join(folder, 'fuzzing_exceptions.py'));
  const run = ['run', `${api.apiUrl}/openapi.json`, '--phases', phases, '--seed', `${api.seed}`];
  const environment = {
    ...machineEnvironment(),
    PYTHONPATH: `${pythonPath}:${folder}`,
    INVENTORY_API_KEY: api.secret,
  };
  try {
    return await new Promise((resolve) => {
      execFile(
        'python3',
        ['-c', program, '--no-color', '--config-file', config, ...run],
        { cwd: folder, env: environment, timeout: timeoutMs, maxBuffer: outputBytesMax },
        (error, stdout, stderr) => resolve({ passed: error === null, report: stdout + stderr }),
      );
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function configOf({ projectId, scopes }: FuzzedApi): string {
  const distinct = (values: readonly (string | number)[]) => JSON.stringify([...new Set(values)]);
  const mostly = (dictionary: string) => `{ dictionary = "${dictionary}", probability = 0.9 }`;
  return `
hooks = "fuzzing_exceptions"
continue-on-failure = true
max-stream-events = 1
suppress-health-check = ["all"]
headers = { "X-API-Key" = "\${INVENTORY_API_KEY}" }

[dictionaries]
project = { values = ["${projectId}"] }
platform = { values = ${distinct(scopes.map(({ platform_id }) => platform_id))} }
app = { values = ${distinct(scopes.map(({ app_id }) => app_id))} }
context = { values = ${distinct(scopes.map(({ context_id }) => context_id))} }
url = { values = ["https://hooks.example.com/inventory"] }

[parameters]
"path.project_id" = ${mostly('project')}
"path.platform_id" = ${mostly('platform')}
"path.app_id" = ${mostly('app')}
"path.context_id" = ${mostly('context')}
"body.url" = ${mostly('url')}

[generation]
database = "none"
max-examples = ${examplesMax}

# 502 is trouble of the platform: it does not respond to every start_assetid.
[checks.not_a_server_error]
expected-statuses = ["2xx", "3xx", "4xx", 502]

# Refusals by state, not by form.
[checks.positive_data_acceptance]
expected-statuses = ["2xx", 401, 402, 403, 404, 409, 410, 429, 502]

# Of what is generated beyond a maxLength some is above the largest body as well.
[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 428, 429, "5xx"]

# OpenAPI 3.1 describes a stream as one text; the check is of each event.
[[operations]]
include-operation-id = "streamEvents"
checks = { response_schema_conformance = { enabled = false } }
`;
}
