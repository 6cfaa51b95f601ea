package dev.spream.cli.storage;

import static dev.spream.cli.command.UsageFailure.require;

import dev.spream.cli.command.CommandFailure;
import dev.spream.cli.command.UsageFailure;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The emulator to use: that of the flag, else that of the environment. */
public final class EmulatorHost {
    private static final String VARIABLE = "SPANNER_EMULATOR_HOST";
    private static final Pattern HOST_AND_PORT = Pattern.compile("([^/\\s]+):(\\d{1,5})");
    private static final int MAX_PORT = 65_535;
    private static final int CONNECT_MILLIS = 5_000;

    private EmulatorHost() {}

    /**
     * Returns the emulator's host and port, if one is configured.
     *
     * @throws UsageFailure if it is malformed
     * @throws CommandFailure if nothing listens there, which the client library would report much later
     */
    static Optional<String> find(@Nullable String flag) {
        Optional<String> host = named(flag);
        host.ifPresent(value -> requireAnswer(value, flag == null ? VARIABLE : "--emulator-host"));
        return host;
    }

    /** Returns the value of the flag or the environment, unchecked. */
    static Optional<String> named(@Nullable String flag) {
        return Optional.ofNullable(flag)
                .or(() -> Optional.ofNullable(System.getenv(VARIABLE)).filter(value -> !value.isBlank()));
    }

    /**
     * Checks that a server listens at a host and port.
     *
     * @param origin the flag or variable that names it
     * @throws UsageFailure if it is malformed
     * @throws CommandFailure if nothing listens there
     */
    public static void requireAnswer(String host, String origin) {
        Matcher matcher = HOST_AND_PORT.matcher(host);
        int port = matcher.matches() ? Integer.parseInt(matcher.group(2)) : 0;
        require(port >= 1 && port <= MAX_PORT, "%s '%s' is malformed: expected host:port".formatted(origin, host));
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(matcher.group(1), port), CONNECT_MILLIS);
        } catch (UnknownHostException e) {
            throw new CommandFailure("the host of %s '%s' is unknown: correct it".formatted(origin, host), e);
        } catch (IOException e) {
            throw new CommandFailure(
                    "no server answers at %s (%s): start one there, or correct %s"
                            .formatted(host, e.getMessage(), origin),
                    e);
        }
    }
}
