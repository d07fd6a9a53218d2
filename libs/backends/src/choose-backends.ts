import type { ProvisionSettings } from './provision-settings.ts';

/** Where a backend comes from. */
export type Source =
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'docker' }
  | { readonly kind: 'native' };

export interface Choice {
  readonly kafka: Source;
  readonly mongodb: Source;
}

/** Whether a Docker daemon would be used at all: asking it takes time. */
export function wantsDocker(settings: ProvisionSettings): boolean {
  if (settings.docker === 'never') return false;
  return settings.kafkaBrokers === null || mongodbMayBeDocker(settings);
}

/**
 * First match wins, for each of the two on its own: an address given, a Docker daemon that
 * answered, a native process. Naming a native build of MongoDB is asking for a native process.
 */
export function chooseBackends(settings: ProvisionSettings, dockerAnswers: boolean): Choice {
  const docker = dockerAnswers && settings.docker !== 'never';
  const unlessGiven = (address: string | null, dockerAllowed: boolean): Source => {
    if (address !== null) return { kind: 'address', address };
    return { kind: docker && dockerAllowed ? 'docker' : 'native' };
  };
  return {
    kafka: unlessGiven(settings.kafkaBrokers, true),
    mongodb: unlessGiven(settings.mongodbUri, settings.mongodbNative === null),
  };
}

function mongodbMayBeDocker(settings: ProvisionSettings): boolean {
  return settings.mongodbUri === null && settings.mongodbNative === null;
}
