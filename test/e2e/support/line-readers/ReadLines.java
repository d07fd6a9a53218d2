import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

/** Reads streams with a client of the JDK; arguments and what is printed are those of read_lines.py. */
class ReadLines {
    private static final String KEY = System.getenv("STREAM_KEY");

    private static InputStream withHttpClient(URI address) throws Exception {
        // Its first request to an origin asks for an upgrade to HTTP/2.
        var request = HttpRequest.newBuilder(address).header("X-API-Key", KEY).build();
        var response = HttpClient.newHttpClient().send(request, BodyHandlers.ofInputStream());
        if (response.statusCode() != 200) throw new IOException("status " + response.statusCode());
        return response.body();
    }

    private static InputStream withUrlConnection(URI address) throws Exception {
        var connection = (HttpURLConnection) address.toURL().openConnection();
        connection.setRequestProperty("X-API-Key", KEY);
        return connection.getInputStream();
    }

    private static void follow(String library, String name, URI address) {
        try (var body = library.equals("java.net.http") ? withHttpClient(address) : withUrlConnection(address);
                var reader = new BufferedReader(new InputStreamReader(body))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) put(name, line);
            put(name, "!end");
        } catch (Exception error) {
            put(name, "!failed " + error);
        }
    }

    private static synchronized void put(String name, String line) {
        System.out.println(name + "\t" + line);
        System.out.flush();
    }

    public static void main(String[] given) {
        for (int at = 1; at + 1 < given.length; at += 2) {
            String name = given[at];
            URI address = URI.create(given[at + 1]);
            new Thread(() -> follow(given[0], name, address)).start();
        }
    }
}
