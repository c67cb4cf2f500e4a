// Verifies a delivery on standard input: java Verify.java ID TIMESTAMP SIGNATURES, with RUPA_SIGNING_SECRET. It needs Java 17.
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Verify {
    private static final int TOLERANCE_SECONDS = 300;

    /** Takes the raw body, and the headers webhook-id, webhook-timestamp and webhook-signature. */
    static boolean isFromRupa(byte[] rawBody, String id, String timestamp, String signatures, String secret) throws GeneralSecurityException {
        var key = Base64.getDecoder().decode(secret.replaceFirst("^whsec_", ""));
        var mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        mac.update((id + "." + timestamp + ".").getBytes());
        var expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(rawBody))).getBytes();
        // During the day after a rotation there is a signature with each of the two secrets.
        var isSigned = Arrays.stream(signatures.split(" ")).anyMatch(each -> MessageDigest.isEqual(expected, each.getBytes()));
        return isSigned && Math.abs(Instant.now().getEpochSecond() - Long.parseLong(timestamp)) <= TOLERANCE_SECONDS;
    }

    public static void main(String[] arguments) throws GeneralSecurityException, IOException {
        var secret = System.getenv("RUPA_SIGNING_SECRET");
        if (!isFromRupa(System.in.readAllBytes(), arguments[0], arguments[1], arguments[2], secret)) {
            System.err.println("The delivery is not genuine, or too old.");
            System.exit(1);
        }
        System.out.println("genuine");
    }
}
