"""Reads a stream with a client library of others, as a process that may be killed at any moment.

Arguments: the library, the stream's address, a folder. The key is in STREAM_KEY. Event ids are
appended to `applied`, then the cursor is saved to `cursor`.
"""

import json
import os
import sys
import time

import httpx

library, url, folder = sys.argv[1:4]
cursor_file = os.path.join(folder, "cursor")
retry_seconds = 0.05
# The address is not https: reading the certificates of the machine took half of each connection.
plain = {"timeout": 45, "verify": False}


def saved_cursor():
    try:
        with open(cursor_file, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


def save_cursor(cursor):
    with open(cursor_file + ".new", "w", encoding="utf-8") as file:
        file.write(cursor)
    os.replace(cursor_file + ".new", cursor_file)


def with_httpx_sse(headers):
    from httpx_sse import connect_sse

    with httpx.Client(**plain) as client:
        with connect_sse(client, "GET", url, headers=headers) as source:
            source.response.raise_for_status()
            yield from source.iter_sse()


def with_sseclient(headers):
    import sseclient

    headers = {**headers, "Accept": "text/event-stream"}
    with httpx.stream("GET", url, headers=headers, **plain) as response:
        response.raise_for_status()
        yield from sseclient.SSEClient(response.iter_bytes()).events()


def with_requests(headers):
    import requests
    import sseclient

    with requests.get(url, headers=headers, stream=True, timeout=45) as response:
        response.raise_for_status()
        yield from sseclient.SSEClient(response).events()


readers = {
    "httpx-sse": with_httpx_sse,
    "sseclient-py": with_sseclient,
    "requests": with_requests,
}


def follow_once(applied):
    headers = {"X-API-Key": os.environ["STREAM_KEY"]}
    cursor = saved_cursor()
    if cursor is not None:
        headers["Last-Event-ID"] = cursor
    for frame in readers[library](headers):
        if not frame.data:
            # httpx-sse gives blank lines as frames.
            continue
        # sseclient-py gives what was unfinished at the end as if it were a frame; the id stands
        # before the data, so that it is whole wherever the data are.
        data = json.loads(frame.data)
        if frame.event == "checkpoint" and saved_cursor() is None:
            save_cursor(frame.id)
        if frame.event == "inventory.refresh.completed":
            applied.write(data["id"] + "\n")
            applied.flush()
            # Long enough that kills meet it.
            time.sleep(0.02)
            save_cursor(frame.id)


with open(os.path.join(folder, "applied"), "a", encoding="utf-8") as applied:
    while True:
        try:
            follow_once(applied)
        except (httpx.HTTPError, OSError, json.JSONDecodeError):
            pass
        time.sleep(retry_seconds)
