// Reads streams with net/http, and prints each line as soon as it is read; the arguments and what is
// printed are those of read_lines.py, without a library.
package main

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"sync"
)

func follow(name, address string) error {
	request, err := http.NewRequest("GET", address, nil)
	if err != nil {
		return err
	}
	request.Header.Set("X-API-Key", os.Getenv("STREAM_KEY"))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", response.StatusCode)
	}
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		fmt.Printf("%s\t%s\n", name, lines.Text())
	}
	return lines.Err()
}

func main() {
	var reading sync.WaitGroup
	streams := os.Args[1:]
	for ; len(streams) > 1; streams = streams[2:] {
		name, address := streams[0], streams[1]
		reading.Go(func() {
			if err := follow(name, address); err != nil {
				fmt.Printf("%s\t!failed %v\n", name, err)
				return
			}
			fmt.Printf("%s\t!end\n", name)
		})
	}
	reading.Wait()
}
