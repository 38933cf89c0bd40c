// Sends a call that is too large, and cancels one, with the TypeScript SDK. Prints the error of the
// former, and how the latter has ended.
//
//     node limits.mjs 2026-07-28|2025-11-25|v1 ADDRESS
import { connect } from './connect.mjs';

const [revision, address] = process.argv.slice(2);
const client = await connect(revision, address + '/mcp', {});
const call = (request, options) => (revision === 'v1' ? client.callTool(request, undefined, options) : client.callTool(request, options));

const large = await call({ name: 'wait', arguments: { text: 'x'.repeat(6 << 20) } });
console.log(large.isError, JSON.parse(large.content[0].text).title);

const abort = new AbortController();
const failed = call({ name: 'wait', arguments: {} }, { signal: abort.signal }).then(() => 'no error', () => 'cancelled');
await fetch(address + '/begun');
abort.abort();
console.log(await failed);
console.log(await (await fetch(address + '/ended')).text()); // the connection stays until then
await client.close();
