// Clients of the TypeScript SDK, in both of its versions.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

// connect connects a client that speaks a revision of the protocol: v1 is the SDK's version 1.
export async function connect(revision, tools, headers) {
  const info = { name: 'test', version: '1.0' };
  const options = { requestInit: { headers } };
  if (revision === 'v1') {
    const client = new OlderClient(info);
    await client.connect(new OlderTransport(new URL(tools), options));
    return client;
  }
  const mode = revision === '2026-07-28' ? { pin: revision } : 'legacy';
  const client = new Client(info, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(tools), options));
  return client;
}
