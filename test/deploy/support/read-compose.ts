import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../../tidy/tracked-files.ts';
import type { Settings } from './known-settings.ts';

export interface ComposeService {
  readonly image: string;
  readonly container_name?: string;
  readonly build?: { readonly args: { readonly SERVICE: string } };
  readonly ports?: readonly string[];
  readonly environment?: Settings;
  readonly volumes?: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: unknown;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly stop_grace_period?: string;
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

/** The compose file as it is without any variable of the environment that starts it. */
export function readCompose(): ComposeFile {
  const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
  const filled = text.replaceAll(/\$\{[A-Z_]+:-([^}]*)\}/g, '$1');
  return parse(filled, { merge: true }) as ComposeFile;
}
