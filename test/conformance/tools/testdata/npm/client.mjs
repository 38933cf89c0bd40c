// Calls tools with the TypeScript SDK and sends the HTTP requests that mean the same, and prints
// what differs. Standard input has the exchanges.
//
//     node client.mjs 2026-07-28|2025-11-25|v1 TOOLS PLAIN
import { connect } from './connect.mjs';
import { text } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';

const [revision, tools, plain] = process.argv.slice(2);

// What differs between two equal servers: IDs and times.
const steady = (t) => t.replace(/\b[A-Z2-7]{26}\b|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|20\d\d-\d\d-\d\dT[0-9:.]+Z/g, '…');
const differ = (exchange, what, got, want) => console.log(exchange.tool, what, 'got', JSON.stringify(got), 'want', JSON.stringify(want));

const exchanges = JSON.parse(await text(process.stdin));
const listed = (await (await connect(revision, tools, {})).listTools()).tools.map((tool) => tool.name);
for (const exchange of exchanges) {
  if (!listed.includes(exchange.tool)) differ(exchange, 'is not listed', listed, exchange.tool);
  const response = await fetch(plain + exchange.path, {
    method: exchange.method,
    headers: { Accept: 'application/json, */*;q=0.5', ...exchange.header, ...exchange.requestHeader },
    body: exchange.body ? Buffer.from(exchange.body, 'base64') : undefined,
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const body = bytes.toString() || response.status + ' ' + response.statusText;
  const client = await connect(revision, tools, exchange.header);
  await client.listTools(); // the client checks results by the schemas it has listed
  const progress = [];
  const request = { name: exchange.tool, arguments: exchange.arguments };
  const telling = { onprogress: (p) => progress.push(p.progress) };
  const result = revision === 'v1' ? await client.callTool(request, undefined, telling) : await client.callTool(request, telling);
  await client.close();

  const [first, ...headers] = result.content;
  if (Boolean(result.isError) !== response.status >= 400) differ(exchange, 'isError', result.isError, response.status);
  const type = response.headers.get('Content-Type');
  if (type === 'text/event-stream') {
    const data = body.split('\n').filter((line) => line.startsWith('data: ')).map((line) => JSON.parse(line.slice(6)));
    const items = result.structuredContent.items;
    if (!isDeepStrictEqual(items.map((item) => item.data), data)) differ(exchange, 'events', items, data);
    if (!isDeepStrictEqual(progress, data.map((_, i) => i + 1))) differ(exchange, 'progress', progress, data);
    continue;
  }
  if (type === 'application/json' && !result.isError) {
    const sent = JSON.parse(steady(body));
    const want = Array.isArray(sent) ? { result: sent } : sent; // older clients need an object
    const got = JSON.parse(steady(JSON.stringify(result.structuredContent)));
    if (!isDeepStrictEqual(got, want)) differ(exchange, 'structured', got, want);
  }
  const want = first.type === 'image' ? bytes.toString('base64') : steady(body);
  const got = first.type === 'image' ? first.data : steady(first.text);
  if (got !== want) differ(exchange, 'content', got, want);
  if (first.type === 'image' && first.mimeType !== type) differ(exchange, 'type', first.mimeType, type);
  for (const { text } of headers) {
    const [name, value] = text.split(': ');
    if (steady(value) !== steady(response.headers.get(name) ?? '')) differ(exchange, name, value, response.headers.get(name));
  }
}
console.log(listed.length, 'tools,', exchanges.length, 'calls');
