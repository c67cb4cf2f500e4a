// Verifies a delivery on standard input: go run verify.go ID TIMESTAMP SIGNATURES, with RUPA_SIGNING_SECRET.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

const tolerance = 5 * time.Minute

// isFromRupa takes the raw body, and the headers webhook-id, webhook-timestamp and webhook-signature.
func isFromRupa(rawBody []byte, id, timestamp, signatures, secret string) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.", id, timestamp)
	mac.Write(rawBody)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	isSigned := false
	// During the day after a rotation there is a signature with each of the two secrets.
	for _, each := range strings.Split(signatures, " ") {
		isSigned = isSigned || hmac.Equal([]byte(expected), []byte(each))
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	return isSigned && err == nil && time.Since(time.Unix(seconds, 0)).Abs() <= tolerance
}

func main() {
	rawBody, err := io.ReadAll(os.Stdin)
	if err != nil || !isFromRupa(rawBody, os.Args[1], os.Args[2], os.Args[3], os.Getenv("RUPA_SIGNING_SECRET")) {
		fmt.Fprintln(os.Stderr, "The delivery is not genuine, or too old.")
		os.Exit(1)
	}
	fmt.Println("genuine")
}
