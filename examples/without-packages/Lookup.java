// Looks a farmer up: java Lookup.java RUPA_ID IDEMPOTENCY_KEY, with RUPA_URL and RUPA_API_KEY. It needs Java 17.
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

public class Lookup {
    private static final int ATTEMPTS = 5;

    /** Sends the same Idempotency-Key at each attempt, so that a lookup whose response was lost is not charged twice. */
    static String lookUp(String rupaId, String idempotencyKey) throws InterruptedException {
        var client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();
        // Java has no JSON of its own. A Rupa ID has no character that JSON escapes.
        var body = "{\"rupa_id\":\"" + rupaId + "\",\"sections\":[\"identity\"]}";
        var request = HttpRequest.newBuilder(URI.create(System.getenv("RUPA_URL") + "/v1/rupa/lookup"))
            .header("X-API-KEY", System.getenv("RUPA_API_KEY"))
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", idempotencyKey)
            .timeout(Duration.ofSeconds(30))
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
        for (var attempt = 0; ; attempt++) {
            var wait = 1L << attempt;
            String reason;
            try {
                var response = client.send(request, BodyHandlers.ofString());
                var status = response.statusCode();
                reason = response.body();
                if (status >= 200 && status < 300) return reason;
                // Another attempt would fail, too.
                if (status < 500 && status != 429 && !reason.contains("\"idempotency_in_progress\"")) throw new IllegalStateException(reason);
                wait = response.headers().firstValueAsLong("Retry-After").orElse(wait);
            } catch (IOException error) {
                // No response: nobody knows whether the lookup was charged.
                reason = error.toString();
            }
            if (attempt == ATTEMPTS - 1) throw new IllegalStateException(reason);
            Thread.sleep(wait * 1_000);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        try {
            System.out.println(lookUp(arguments[0], arguments[1]));
        } catch (IllegalStateException error) {
            System.err.println(error.getMessage());
            System.exit(1);
        }
    }
}
