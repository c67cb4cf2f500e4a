// Verifies a delivery on standard input: dotnet run verify.cs ID TIMESTAMP SIGNATURES, with RUPA_SIGNING_SECRET. It needs .NET 10.
using System.Security.Cryptography;
using System.Text;

const int ToleranceSeconds = 300;

using var body = new MemoryStream();
Console.OpenStandardInput().CopyTo(body);
if (!IsFromRupa(body.ToArray(), args[0], args[1], args[2], Environment.GetEnvironmentVariable("RUPA_SIGNING_SECRET")!))
{
    Console.Error.WriteLine("The delivery is not genuine, or too old.");
    return 1;
}
Console.WriteLine("genuine");
return 0;

// Takes the raw body, and the headers webhook-id, webhook-timestamp and webhook-signature.
static bool IsFromRupa(byte[] rawBody, string id, string timestamp, string signatures, string secret)
{
    var key = Convert.FromBase64String(secret.StartsWith("whsec_") ? secret[6..] : secret);
    byte[] signed = [.. Encoding.UTF8.GetBytes($"{id}.{timestamp}."), .. rawBody];
    var expected = Encoding.UTF8.GetBytes("v1," + Convert.ToBase64String(HMACSHA256.HashData(key, signed)));
    // During the day after a rotation there is a signature with each of the two secrets.
    var isSigned = signatures.Split(' ').Any(each => CryptographicOperations.FixedTimeEquals(expected, Encoding.UTF8.GetBytes(each)));
    return isSigned && long.TryParse(timestamp, out var seconds)
        && Math.Abs(DateTimeOffset.UtcNow.ToUnixTimeSeconds() - seconds) <= ToleranceSeconds;
}
