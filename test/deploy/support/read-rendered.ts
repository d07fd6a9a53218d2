import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { root } from '../../tidy/tracked-files.ts';
import type { Settings } from './known-settings.ts';

export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Settings };
  // biome-ignore lint/suspicious/noExplicitAny: each kind has a shape of its own, which the schemas check.
  readonly spec: any;
  readonly data?: Settings;
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly ports?: readonly { name: string; containerPort: number }[];
  readonly volumeMounts?: readonly { name: string; mountPath: string }[];
  readonly envFrom?: readonly { configMapRef: { name: string } }[];
  readonly env?: readonly {
    name: string;
    value?: string;
    valueFrom?: { secretKeyRef: { name: string; key: string; optional?: boolean } };
  }[];
  readonly [field: string]: unknown;
}

export const overlays = ['local', 'production'] as const;

export function readRenderedText(overlay: string): string {
  return readFileSync(join(root, 'deploy/kubernetes/rendered', `${overlay}.yaml`), 'utf8');
}

export function readRendered(overlay: string): readonly Resource[] {
  return parseAllDocuments(readRenderedText(overlay)).map((document) => document.toJS());
}

/** ConfigMaps and Secrets carry a hash of their content after the name that they are given. */
export function find(resources: readonly Resource[], kind: string, name: string): Resource {
  const found = resources.find(
    (one) =>
      one.kind === kind &&
      (one.metadata.name === name ||
        (one.data !== undefined && one.metadata.name.replace(/-[a-z0-9]{10}$/, '') === name)),
  );
  if (!found) throw new Error(`there is no ${kind} ${name}`);
  return found;
}

/** The pod of a Deployment, StatefulSet, Job or CronJob. */
export const podOf = ({ spec }: Resource) => (spec.jobTemplate?.spec ?? spec).template.spec;

/**
 * The environment of a container: what its ConfigMaps hold, and for each secret its stand-in (as
 * no secret is in the files) or, where the overlay makes the Secret itself, its value.
 */
export function environmentOf(
  resources: readonly Resource[],
  container: Container,
  standIns: Settings,
): Settings {
  const literal = (container.envFrom ?? []).map(
    ({ configMapRef }) => find(resources, 'ConfigMap', configMapRef.name).data ?? {},
  );
  const single = (container.env ?? []).map(({ name, value, valueFrom }) => {
    if (!valueFrom) return [name, value ?? ''];
    const { name: secret, key, optional = false } = valueFrom.secretKeyRef;
    const made = resources.find(
      ({ kind, metadata }) => kind === 'Secret' && metadata.name === secret,
    );
    const kept = made?.data?.[key];
    if (made && kept === undefined && !optional) throw new Error(`Secret ${secret} has no ${key}`);
    if (made && kept === undefined) return [name, ''];
    return [name, kept ? Buffer.from(kept, 'base64').toString() : (standIns[key] ?? '')];
  });
  return Object.assign({}, ...literal, Object.fromEntries(single)) as Settings;
}
