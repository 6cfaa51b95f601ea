package dev.spream.storage.spanner.connection;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server that is reached by TLS, such as a regional or private endpoint of Spanner. */
public record Endpoint(String host, int port) {
    public static final String FORM = "host:port or https://host[:port]";

    private static final int HTTPS = 443;
    private static final int MAX_PORT = 65_535;
    private static final Pattern WRITTEN = Pattern.compile(
            "(?<scheme>https://)?(?<host>\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9][A-Za-z0-9.-]{0,252})(?::(?<port>\\d{1,5}))?/?");

    /**
     * Returns the endpoint that a text names.
     *
     * @throws IllegalArgumentException if the text has another form; the message has the expected one
     */
    public static Endpoint parse(String text) {
        Matcher written = WRITTEN.matcher(text);
        if (!written.matches() || (written.group("scheme") == null && written.group("port") == null)) {
            throw malformed();
        }
        String port = written.group("port");
        Endpoint endpoint = new Endpoint(written.group("host"), port == null ? HTTPS : Integer.parseInt(port));
        if (endpoint.port < 1 || endpoint.port > MAX_PORT) {
            throw malformed();
        }
        return endpoint;
    }

    private static IllegalArgumentException malformed() {
        return new IllegalArgumentException(
                "expected %s, such as spanner.europe-west1.rep.googleapis.com:443; a server".formatted(FORM)
                        + " without TLS is an emulator");
    }

    /** Returns the form that the client takes. */
    public String url() {
        return "https://" + this;
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
