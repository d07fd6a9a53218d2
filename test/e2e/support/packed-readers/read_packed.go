// Prints the SHA-256 of each address as net/http decodes it.
package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"os"
)

func main() {
	for _, url := range os.Args[1:] {
		answer, err := http.Get(url)
		if err != nil {
			panic(err)
		}
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%x\n", sha256.Sum256(body))
	}
}
