// Makes a lookup, reads an event of each type, and reads an error, with the client that Kiota generates.
using Microsoft.Kiota.Abstractions.Authentication;
using Microsoft.Kiota.Http.HttpClientLibrary;
using Rupa;
using Rupa.Models;

using var http = new HttpClient();
// Kiota's own provider of API keys sends them over https only.
http.DefaultRequestHeaders.Add("X-API-KEY", Environment.GetEnvironmentVariable("RUPA_API_KEY"));
var adapter = new HttpClientRequestAdapter(new AnonymousAuthenticationProvider(), httpClient: http);
adapter.BaseUrl = Environment.GetEnvironmentVariable("RUPA_URL");
var calls = new RupaApi(adapter).V1.Rupa;

var found = await calls.Lookup.PostAsync(new Lookup { RupaId = "rp-test-gold", Source = "loan" });
Console.WriteLine($"charged {found!.Data!.Billing!.AmountCharged}, account of {(await calls.Me.GetAsync())!.Data!.WalletBalance}");

var types = Enum.GetValues<SandboxEvent_type>();
foreach (var type in types) await calls.Sandbox.Events.PostAsync(new SandboxEvent { Type = type, RupaId = "rp-test-gold" });
List<Notification> events = [];
while (events.Count < types.Length) events = (await calls.Events.GetAsync(query => query.QueryParameters.Limit = 100))!.Data!.Events!;
foreach (var each in events)
{
    var data = each switch
    {
        FarmerLoanAddedNotification added => $" about {added.Data!.RupaId}, {added.Data.Sequence > int.MaxValue}",
        AccountLowBalanceNotification low => $" at {low.Data!.Balance}",
        _ => "",
    };
    Console.WriteLine($"{each.GetType().Name}{data}");
}

try
{
    await calls.Lookup.PostAsync(new Lookup { RupaId = "rp-nobody" });
}
catch (FarmerNotFoundEnvelope error)
{
    Console.WriteLine($"{error.ResponseStatusCode} {error.Code}");
}
