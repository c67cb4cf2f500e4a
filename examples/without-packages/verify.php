<?php
// Verifies a delivery on standard input: php verify.php ID TIMESTAMP SIGNATURES, with RUPA_SIGNING_SECRET.

const TOLERANCE_SECONDS = 300;

/** Takes the raw body, and the headers webhook-id, webhook-timestamp and webhook-signature. */
function is_from_rupa(string $raw_body, string $id, string $timestamp, string $signatures, string $secret): bool
{
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret));
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$raw_body", $key, true));
    // During the day after a rotation there is a signature with each of the two secrets.
    $matching = array_filter(explode(' ', $signatures), fn ($each) => hash_equals($expected, $each));
    return $matching !== [] && abs(time() - (int) $timestamp) <= TOLERANCE_SECONDS;
}

if (!is_from_rupa(file_get_contents('php://stdin'), $argv[1], $argv[2], $argv[3], getenv('RUPA_SIGNING_SECRET'))) {
    fwrite(STDERR, "The delivery is not genuine, or too old.\n");
    exit(1);
}
echo "genuine\n";
