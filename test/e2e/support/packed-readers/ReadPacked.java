import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.zip.GZIPInputStream;

/** Prints the SHA-256 of each address, unpacked by java.util.zip. */
class ReadPacked {
  public static void main(String[] urls) throws Exception {
    for (String url : urls) {
      var request = HttpRequest.newBuilder(URI.create(url)).build();
      var answer = HttpClient.newHttpClient().send(request, BodyHandlers.ofInputStream());
      var body = new GZIPInputStream(answer.body()).readAllBytes();
      var digest = MessageDigest.getInstance("SHA-256").digest(body);
      System.out.println(HexFormat.of().formatHex(digest));
    }
  }
}
