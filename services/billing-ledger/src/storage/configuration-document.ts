import type { ProjectId } from '@inventory/contracts/ids';
import type { Configuration } from '../domain/configuration.ts';

/** A configuration as stored: what is null is left out. */
export type ConfigurationDocument =
  | { readonly sets: 'funding'; readonly unitsPerMonth?: number }
  | { readonly sets: 'spend_cap'; readonly projectId: ProjectId; readonly cap?: number }
  | { readonly sets: 'balance_alert'; readonly threshold?: number };

export function toConfigurationDocument(configuration: Configuration): ConfigurationDocument {
  const { sets } = configuration;
  switch (sets) {
    case 'funding': {
      const { funding } = configuration;
      return funding.mode === 'credits' ? { sets } : { sets, unitsPerMonth: funding.unitsPerMonth };
    }
    case 'spend_cap': {
      const { projectId, cap } = configuration;
      return { sets, projectId, ...(cap === null ? {} : { cap }) };
    }
    case 'balance_alert': {
      const { threshold } = configuration;
      return { sets, ...(threshold === null ? {} : { threshold }) };
    }
  }
}

export function fromConfigurationDocument(document: ConfigurationDocument): Configuration {
  const { sets } = document;
  switch (sets) {
    case 'funding': {
      const { unitsPerMonth } = document;
      const isSubscription = unitsPerMonth !== undefined;
      return {
        sets,
        funding: isSubscription ? { mode: 'subscription', unitsPerMonth } : { mode: 'credits' },
      };
    }
    case 'spend_cap':
      return { sets, projectId: document.projectId, cap: document.cap ?? null };
    case 'balance_alert':
      return { sets, threshold: document.threshold ?? null };
  }
}
