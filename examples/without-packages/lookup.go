// Looks a farmer up: go run lookup.go RUPA_ID IDEMPOTENCY_KEY, with RUPA_URL and RUPA_API_KEY.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

const attempts = 5

type lookup struct {
	Data struct {
		Billing json.RawMessage `json:"billing"`
	} `json:"data"`
}

// send makes one attempt. The status is 0 without a response: nobody knows whether the lookup was charged.
func send(client *http.Client, body []byte, idempotencyKey string) (status int, retryAfter string, text []byte) {
	request, err := http.NewRequest("POST", os.Getenv("RUPA_URL")+"/v1/rupa/lookup", bytes.NewReader(body))
	if err != nil {
		return 0, "", []byte(err.Error())
	}
	request.Header.Set("X-API-KEY", os.Getenv("RUPA_API_KEY"))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", idempotencyKey)
	response, err := client.Do(request)
	if err != nil {
		return 0, "", []byte(err.Error())
	}
	defer response.Body.Close()
	text, err = io.ReadAll(response.Body)
	if err != nil {
		return 0, "", []byte(err.Error())
	}
	return response.StatusCode, response.Header.Get("Retry-After"), text
}

// lookUp sends the same Idempotency-Key at each attempt, so that a lookup whose response was lost is not charged twice.
func lookUp(rupaID, idempotencyKey string) (found lookup, err error) {
	body, err := json.Marshal(map[string]any{"rupa_id": rupaID, "sections": []string{"identity"}})
	if err != nil {
		return found, err
	}
	client := &http.Client{Timeout: 30 * time.Second}
	for attempt := 0; ; attempt++ {
		status, retryAfter, text := send(client, body, idempotencyKey)
		if status >= 200 && status < 300 {
			return found, json.Unmarshal(text, &found)
		}
		isWrong := status != 0 && status < 500 && status != 429 && !strings.Contains(string(text), `"idempotency_in_progress"`)
		if isWrong || attempt == attempts-1 {
			return found, fmt.Errorf("%s", text)
		}
		wait, err := strconv.Atoi(retryAfter)
		if err != nil {
			wait = 1 << attempt
		}
		time.Sleep(time.Duration(wait) * time.Second)
	}
}

func main() {
	found, err := lookUp(os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(string(found.Data.Billing))
}
