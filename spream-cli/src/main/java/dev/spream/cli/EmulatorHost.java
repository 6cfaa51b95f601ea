package dev.spream.cli;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The emulator that a command shall use: that of its flag, else that of the environment. */
final class EmulatorHost {
    private static final String VARIABLE = "SPANNER_EMULATOR_HOST";
    private static final int CONNECT_MILLIS = 5_000;

    private EmulatorHost() {}

    /**
     * The emulator's host and port, if there is to be one.
     *
     * @throws CommandFailure if nothing listens there, which the client library would take long to say
     */
    static Optional<String> find(@Nullable String flag) {
        Optional<String> host = Optional.ofNullable(flag)
                .or(() -> Optional.ofNullable(System.getenv(VARIABLE)))
                .filter(value -> !value.isBlank());
        host.ifPresent(value -> requireAnswer(value, flag == null ? VARIABLE : "--emulator-host"));
        return host;
    }

    private static void requireAnswer(String host, String origin) {
        int colon = host.lastIndexOf(':');
        if (colon < 1 || !host.substring(colon + 1).matches("\\d{1,5}")) {
            throw new CommandFailure("%s '%s' is malformed: expected host:port".formatted(origin, host));
        }
        InetSocketAddress address =
                new InetSocketAddress(host.substring(0, colon), Integer.parseInt(host.substring(colon + 1)));
        try (Socket socket = new Socket()) {
            socket.connect(address, CONNECT_MILLIS);
        } catch (IOException e) {
            throw new CommandFailure(
                    "no server answers at %s (%s): start one there, or correct %s"
                            .formatted(host, e.getMessage(), origin),
                    e);
        }
    }
}
