<?php
// Looks a farmer up: php lookup.php RUPA_ID IDEMPOTENCY_KEY, with RUPA_URL and RUPA_API_KEY.

const ATTEMPTS = 5;

/** Sends the same Idempotency-Key at each attempt, so that a lookup whose response was lost is not charged twice. */
function look_up(string $rupa_id, string $idempotency_key): array
{
    $context = stream_context_create(['http' => [
        'method' => 'POST',
        'header' => [
            'X-API-KEY: ' . getenv('RUPA_API_KEY'),
            'Content-Type: application/json',
            'Idempotency-Key: ' . $idempotency_key,
        ],
        'content' => json_encode(['rupa_id' => $rupa_id, 'sections' => ['identity']]),
        'ignore_errors' => true, // Return the body of an error, too.
        'timeout' => 30,
    ]]);
    for ($attempt = 0; $attempt < ATTEMPTS; $attempt++) {
        $wait = 2 ** $attempt;
        $http_response_header = [];
        $body = @file_get_contents(getenv('RUPA_URL') . '/v1/rupa/lookup', false, $context);
        // Without a status there was no response: nobody knows whether the lookup was charged.
        $status = preg_match('#^HTTP/\S+ (\d+)#', $http_response_header[0] ?? '', $match) ? (int) $match[1] : 0;
        $response = json_decode((string) $body, true);
        if ($status >= 200 && $status < 300 && is_array($response)) {
            return $response['data'];
        }
        if ($status >= 300 && $status < 500 && $status !== 429 && ($response['code'] ?? '') !== 'idempotency_in_progress') {
            break; // Another attempt would fail, too.
        }
        foreach ($http_response_header as $line) {
            $wait = preg_match('/^Retry-After: (\d+)/i', $line, $match) ? (int) $match[1] : $wait;
        }
        if ($attempt < ATTEMPTS - 1) {
            sleep($wait);
        }
    }
    fwrite(STDERR, ($body ?: 'no response') . "\n");
    exit(1);
}

echo json_encode(look_up($argv[1], $argv[2])['billing']), "\n";
