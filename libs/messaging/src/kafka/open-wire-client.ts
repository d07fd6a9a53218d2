import type { KafkaConnection, WireClient } from './wire-client.ts';

/** Loads the client that the settings name, and no other. */
export async function openWireClient(connection: KafkaConnection): Promise<WireClient> {
  if (connection.client === 'platformatic') {
    const library = await import('./platformatic/wire-client.ts');
    return library.createPlatformaticWireClient(connection);
  }
  const library = await import('./kafkajs/wire-client.ts');
  return library.createKafkajsWireClient(connection);
}
