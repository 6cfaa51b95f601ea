package dev.spream.api;

import static java.util.Objects.requireNonNull;

import dev.spream.api.spi.ConfigType;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The address on which a process listens for HTTP: {@code 8080}, which binds to localhost, {@code 0.0.0.0:8080} or
 * {@code [::]:8080}. Immutable.
 *
 * @param host a name or an address, without brackets
 * @param port 0 for any free port
 */
public record HttpAddress(String host, int port) {
    /** The configuration type of an address. */
    public static final ConfigType<HttpAddress> TYPE =
            new ConfigType<>("port or host:port", HttpAddress::parse, HttpAddress::toString);

    private static final String THIS_MACHINE = "127.0.0.1";
    private static final int MAX_PORT = 65_535;
    private static final Pattern WRITTEN = Pattern.compile("(?:(\\[[0-9A-Fa-f:.%]+]|[A-Za-z0-9._-]+):)?(\\d{1,5})");

    public HttpAddress {
        requireNonNull(host, "host");
        if (port < 0 || port > MAX_PORT) {
            throw new IllegalArgumentException("port %d is not between 0 and %d".formatted(port, MAX_PORT));
        }
    }

    /**
     * Parses an address.
     *
     * @throws IllegalArgumentException if the text is not an address; the message names the expected form
     */
    public static HttpAddress parse(String text) {
        Matcher written = WRITTEN.matcher(text);
        if (!written.matches()) {
            throw new IllegalArgumentException("expected a port or host:port, such as 8080 or 0.0.0.0:8080");
        }
        String host = written.group(1) == null ? THIS_MACHINE : written.group(1);
        return new HttpAddress(host.replaceAll("[\\[\\]]", ""), Integer.parseInt(written.group(2)));
    }

    @Override
    public String toString() {
        return (host.contains(":") ? "[%s]:%d" : "%s:%d").formatted(host, port);
    }
}
