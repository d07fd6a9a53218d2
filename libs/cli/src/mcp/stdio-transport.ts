import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

/** Messages of an MCP host over standard input and output; it ends with the input. */
export function openStdioTransport(input: Readable, output: Writable): StdioServerTransport {
  const transport = new StdioServerTransport(input, output);
  input.once('close', () => void transport.close());
  input.once('end', () => void transport.close());
  return transport;
}
