import { join } from 'node:path';
import type { ServiceName } from '@inventory/contracts/topics';
import { root } from '../../tidy/tracked-files.ts';

export type Settings = Readonly<Record<string, string>>;

/** Read by Node and by the telemetry SDK, whatever the service. */
const platformSettings = new Set([
  'NODE_ENV',
  'MALLOC_ARENA_MAX',
  'NODE_OPTIONS',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_PROTOCOL',
  'OTEL_RESOURCE_ATTRIBUTES',
  'OTEL_SERVICE_NAME',
]);

interface ServiceConfigModule {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly loadConfig: (environment: Settings) => {
    readonly stopDeadlineMs: number;
    readonly http: { readonly host: string; readonly port: number };
    readonly publicHttp?: { readonly host: string; readonly port: number };
    readonly operatorHttp?: { readonly host: string; readonly port: number };
  };
}

export async function configOf(service: ServiceName): Promise<ServiceConfigModule> {
  return (await import(join(root, 'services', service, 'src/config.ts'))) as ServiceConfigModule;
}

/** Names among the given that nothing in this service reads. */
export async function unknownSettings(service: ServiceName, given: Settings): Promise<string[]> {
  const { settings } = await configOf(service);
  return Object.keys(given).filter((name) => !(name in settings) && !platformSettings.has(name));
}
