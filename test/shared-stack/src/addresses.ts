import { serviceNames } from '@inventory/contracts/topics';
import { z } from 'zod';

/** Where a shared stack is reached: written by its process, read by the stories. */
export const stackAddresses = z.object({
  operatorToken: z.string(),
  simulatorUrl: z.url(),
  topicPrefix: z.string(),
  databasePrefix: z.string(),
  /** Every replica. */
  services: z.array(
    z.object({
      service: z.enum(serviceNames),
      name: z.string(),
      url: z.url(),
      publicUrl: z.url().nullable(),
      operatorUrl: z.url().nullable(),
    }),
  ),
  /** Secrets of this stack, the token of a service by its name: none may appear in a log. */
  secrets: z.record(z.string(), z.string()),
});

export type StackAddresses = z.infer<typeof stackAddresses>;
