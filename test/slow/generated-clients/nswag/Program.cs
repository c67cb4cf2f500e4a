// Makes a lookup, reads an event of each type, and reads an error, with the client that NSwag generates.
using Rupa;

using var http = new HttpClient();
http.DefaultRequestHeaders.Add("X-API-KEY", Environment.GetEnvironmentVariable("RUPA_API_KEY"));
var client = new Client(http) { BaseUrl = Environment.GetEnvironmentVariable("RUPA_URL") };

var found = await client.LookUpFarmerAsync(new Lookup { Rupa_id = "rp-test-gold", Source = "loan" });
Console.WriteLine($"charged {found.Data.Billing.Amount_charged}, account of {(await client.GetAccountAsync()).Data.Wallet_balance}");

var types = Enum.GetValues<SandboxEventType>();
foreach (var type in types) await client.TriggerEventAsync(new SandboxEvent { Type = type, Rupa_id = "rp-test-gold" });
ICollection<Notification> events = [];
while (events.Count < types.Length) events = (await client.ListEventsAsync(limit: 100)).Data.Events;
foreach (var each in events)
{
    var data = each switch
    {
        FarmerLoanAddedNotification added => $" about {added.Data.Rupa_id}, {added.Data.Sequence > int.MaxValue}",
        AccountLowBalanceNotification low => $" at {low.Data.Balance}",
        _ => "",
    };
    Console.WriteLine($"{each.GetType().Name}{data}");
}

try
{
    await client.LookUpFarmerAsync(new Lookup { Rupa_id = "rp-nobody" });
}
catch (ApiException<FarmerNotFoundEnvelope> error)
{
    Console.WriteLine($"{error.StatusCode} {error.Result.Code}");
}
