// Looks a farmer up: dotnet run lookup.cs RUPA_ID IDEMPOTENCY_KEY, with RUPA_URL and RUPA_API_KEY. It needs .NET 10.
using System.Net;
using System.Text;
using System.Text.Json.Nodes;

const int Attempts = 5;

try
{
    Console.WriteLine((await LookUp(args[0], args[1]))["billing"]!.ToJsonString());
    return 0;
}
catch (InvalidOperationException error)
{
    Console.Error.WriteLine(error.Message);
    return 1;
}

// Sends the same Idempotency-Key at each attempt, so that a lookup whose response was lost is not charged twice.
static async Task<JsonNode> LookUp(string rupaId, string idempotencyKey)
{
    using var client = new HttpClient { Timeout = TimeSpan.FromSeconds(30) };
    var body = new JsonObject { ["rupa_id"] = rupaId, ["sections"] = new JsonArray("identity") }.ToJsonString();
    for (var attempt = 0; ; attempt++)
    {
        var wait = TimeSpan.FromSeconds(1 << attempt);
        string reason;
        try
        {
            using var request = new HttpRequestMessage(HttpMethod.Post, Environment.GetEnvironmentVariable("RUPA_URL") + "/v1/rupa/lookup");
            request.Headers.Add("X-API-KEY", Environment.GetEnvironmentVariable("RUPA_API_KEY"));
            request.Headers.Add("Idempotency-Key", idempotencyKey);
            request.Content = new StringContent(body, Encoding.UTF8, "application/json");
            using var response = await client.SendAsync(request);
            reason = await response.Content.ReadAsStringAsync();
            if (response.IsSuccessStatusCode) return JsonNode.Parse(reason)!["data"]!;
            var mayRetry = response.StatusCode == HttpStatusCode.TooManyRequests || (int)response.StatusCode >= 500;
            // Another attempt would fail, too.
            if (!mayRetry && !reason.Contains("\"idempotency_in_progress\"")) throw new InvalidOperationException(reason);
            wait = response.Headers.RetryAfter?.Delta ?? wait;
        }
        catch (Exception error) when (error is HttpRequestException or TaskCanceledException)
        {
            // No response: nobody knows whether the lookup was charged.
            reason = error.Message;
        }
        if (attempt == Attempts - 1) throw new InvalidOperationException(reason);
        await Task.Delay(wait);
    }
}
