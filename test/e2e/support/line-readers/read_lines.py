"""Reads streams with an HTTP library of others, and prints each line as soon as the library gives it.

Arguments: the library, then a name and an address of each stream; they are read at the same time.
The key is in STREAM_KEY. A line is printed behind the name of its stream and a tab; `!end` follows
the last one, or `!failed` and the reason where the library does not take the body as complete.
"""

import asyncio
import os
import sys
import threading

library, *streams = sys.argv[1:]
headers = {"X-API-Key": os.environ["STREAM_KEY"], "Accept": "text/event-stream"}


def with_urllib(url):
    from urllib.request import Request, urlopen

    with urlopen(Request(url, headers=headers)) as response:
        yield from response


def with_requests_lines(url):
    import requests

    with requests.get(url, headers=headers, stream=True) as response:
        response.raise_for_status()
        for line in response.iter_lines():
            yield line + b"\n"


def with_requests_chunks(url):
    import requests

    with requests.get(url, headers=headers, stream=True) as response:
        response.raise_for_status()
        yield from response.iter_content(chunk_size=None)


def with_requests_sseclient(url):
    import requests
    import sseclient

    with requests.get(url, headers=headers, stream=True) as response:
        response.raise_for_status()
        yield from map(written, sseclient.SSEClient(response).events())


def with_httpx(url):
    import httpx

    with httpx.stream("GET", url, headers=headers, timeout=None) as response:
        response.raise_for_status()
        for line in response.iter_lines():
            yield line.encode() + b"\n"


def with_httpx_sse(url):
    import httpx
    from httpx_sse import connect_sse

    with httpx.Client(timeout=None) as client:
        with connect_sse(client, "GET", url, headers=headers) as source:
            source.response.raise_for_status()
            yield from map(written, source.iter_sse())


def written(frame):
    lines = [f"event: {frame.event}", f"id: {frame.id or ''}", f"data: {frame.data}", "", ""]
    return "\n".join(lines).encode()


async def with_aiohttp(url, take):
    import aiohttp

    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None)) as session:
        async with session.get(url, headers=headers, raise_for_status=True) as response:
            async for line in response.content:
                take(line)


async def with_tornado(url, take):
    from tornado.httpclient import AsyncHTTPClient

    client = AsyncHTTPClient(force_instance=True)
    await client.fetch(url, headers=headers, streaming_callback=take, request_timeout=0)


blocking = {
    "urllib": with_urllib,
    "requests iter_lines": with_requests_lines,
    "requests chunk_size=None": with_requests_chunks,
    "requests sseclient-py": with_requests_sseclient,
    "httpx": with_httpx,
    "httpx-sse": with_httpx_sse,
}
concurrent = {"aiohttp": with_aiohttp, "tornado": with_tornado}


class Printer:
    """Prints the parts of one stream as lines."""

    def __init__(self, name):
        self.name = name
        self.rest = b""

    def take(self, part):
        *lines, self.rest = (self.rest + part).split(b"\n")
        for line in lines:
            self.put(line)

    def put(self, line):
        os.write(1, f"{self.name}\t".encode() + line + b"\n")

    def end(self, error=None):
        self.put(b"!end" if error is None else f"!failed {error!r}".encode())


def follow(name, url):
    printer = Printer(name)
    try:
        for part in blocking[library](url):
            printer.take(part)
        printer.end()
    except Exception as error:
        printer.end(error)


async def follow_concurrently(name, url):
    printer = Printer(name)
    try:
        await concurrent[library](url, printer.take)
        printer.end()
    except Exception as error:
        printer.end(error)


async def follow_all():
    await asyncio.gather(*map(follow_concurrently, streams[::2], streams[1::2]))


if library in concurrent:
    asyncio.run(follow_all())
else:
    for stream in zip(streams[::2], streams[1::2]):
        threading.Thread(target=follow, args=stream).start()
