#!/bin/sh
# Reads streams with curl; arguments and what is printed are those of read_lines.py, without a library.

follow() {
  {
    curl --silent --show-error --fail --no-buffer --header "X-API-Key: $STREAM_KEY" "$2" 2>&1 &&
      echo '!end' || echo '!failed'
  } | while IFS= read -r line; do
    printf '%s\t%s\n' "$1" "$line"
  done
}

while [ $# -gt 1 ]; do
  follow "$1" "$2" &
  shift 2
done
wait
