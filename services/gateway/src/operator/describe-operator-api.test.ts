import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operatorDocument } from './describe-operator-api.ts';
import { operatorRoutes } from './operator-routes.ts';

test('the operator document is valid OpenAPI 3.1 to a validator that is not ours', () => {
  const directory = mkdtempSync(join(tmpdir(), 'openapi-'));
  const file = join(directory, 'operator-openapi.json');
  writeFileSync(file, JSON.stringify(operatorDocument(operatorRoutes)));
  const validator = require.resolve('@seriousme/openapi-schema-validator/bin/validate-api-cli.js');

  const output = execFileSync(process.execPath, [validator, file], { encoding: 'utf8' });

  expect(output).toContain('valid');
  rmSync(directory, { recursive: true });
});

test('operator operations have names of their own', () => {
  const names = operatorRoutes.map(({ operationId }) => operationId);

  expect(new Set(names).size).toBe(names.length);
});
