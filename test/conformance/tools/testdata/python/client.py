"""Calls tools with the Python SDK, version 1 or 2, sends the HTTP requests that mean the same, and
prints what differs. Standard input has the exchanges; the tool test_embedded_resource is at BYTES.

    python client.py TOOLS PLAIN BYTES
"""

import asyncio
import base64
import contextlib
import importlib.metadata
import json
import re
import sys
import urllib.error
import urllib.request

import mcp
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client


@contextlib.asynccontextmanager
async def connect(url, headers):
    async with create_mcp_http_client(headers=headers) as http:
        transport = streamable_http_client(url, http_client=http)
        if importlib.metadata.version("mcp").startswith("1."):
            async with transport as (read, write, _), mcp.ClientSession(read, write) as session:
                await session.initialize()
                yield session
        else:
            async with mcp.Client(transport) as client:
                yield client


def steady(text):
    """Replaces what differs between two equal servers: IDs and times."""
    return re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|20\d\d-\d\d-\d\dT[0-9:.]+Z", "…", text)


def fetch(url, exchange):
    headers = {"Accept": "application/json, */*;q=0.5"} | exchange["header"] | exchange["requestHeader"]
    body = base64.b64decode(exchange["body"]) if exchange["body"] else None
    request = urllib.request.Request(url + exchange["path"], body, headers, method=exchange["method"])
    try:
        response = urllib.request.urlopen(request)
    except urllib.error.HTTPError as error:
        response = error
    with response:
        return response, response.read()


def compare(exchange, response, body, result):
    def differ(what, got, want):
        if got != want:
            print(exchange["tool"], what, "got", got, "want", want)

    differ("isError", bool(result.get("isError")), response.status >= 400)
    media = response.headers.get("Content-Type")
    first = result["content"][0]
    if media == "text/event-stream":
        data = [json.loads(line[6:]) for line in body.decode().splitlines() if line.startswith("data: ")]
        differ("events", [item["data"] for item in result["structuredContent"]["items"]], data)
    elif first["type"] == "image":
        differ("image", [base64.b64decode(first["data"]), first["mimeType"]], [body, media])
    else:
        differ("text", steady(first["text"]), steady(body.decode()) or f"{response.status} {response.reason}")
    if media == "application/json" and response.status < 400:
        sent = json.loads(steady(body.decode()))
        differ("structured", json.loads(steady(json.dumps(result["structuredContent"]))), sent if isinstance(sent, dict) else {"result": sent})


async def main(tools, plain, binary):
    exchanges = json.load(sys.stdin)
    async with connect(tools, {}) as client:
        listed = [tool.name for tool in (await client.list_tools()).tools]
    for exchange in exchanges:
        response, body = fetch(plain, exchange)
        async with connect(tools, exchange["header"]) as client:
            result = await client.call_tool(exchange["tool"], exchange["arguments"])
        compare(exchange, response, body, result.model_dump(mode="json", by_alias=True))
    async with connect(binary, {}) as client:
        result = await client.call_tool("test_embedded_resource", {})
    resource = result.model_dump(mode="json", by_alias=True)["content"][0]["resource"]
    print(len(listed), "tools,", len(exchanges), "calls,", resource["uri"], base64.b64decode(resource["blob"]).hex())


asyncio.run(main(*sys.argv[1:]))
