"""Prints the SHA-256 of each address as a library decodes it. Arguments: library, addresses."""
import asyncio
import hashlib
import sys


def with_requests(url):
    import requests
    return requests.get(url).content


def with_httpx(url):
    import httpx
    return httpx.get(url).content


def with_aiohttp(url):
    import aiohttp

    async def read():
        async with aiohttp.ClientSession() as session:
            async with session.get(url) as answer:
                return await answer.read()

    return asyncio.run(read())


library, *urls = sys.argv[1:]
for url in urls:
    print(hashlib.sha256(globals()["with_" + library](url)).hexdigest())
