package dev.spream.sinks.http;

import dev.spream.core.DurationText;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

/** The reason why there was no answer, in words that have nothing of what was sent or received. */
final class TransportError {
    private TransportError() {}

    /**
     * Returns whether it failed before the receiver could have a request, whatever the client handed out. A handshake that
     * fails is one of these even if the client was ahead of it: no server takes what came with it.
     */
    static boolean isBeforeRequest(Throwable cause) {
        return switch (cause) {
            case ConnectException failed -> true;
            case HttpConnectTimeoutException over -> true;
            case SSLHandshakeException failed -> true;
            default -> false;
        };
    }

    /** As the rest of a sentence whose subject is the server. */
    static String words(Throwable cause, Duration timeout) {
        return switch (cause) {
            case TimeoutException over -> "did not answer in time, within " + DurationText.of(timeout);
            case HttpConnectTimeoutException over -> "could not be connected to in time";
            case ConnectException failed when isNameUnknown(failed) -> "could not be connected to: its name is unknown";
            case ConnectException failed -> "could not be connected to: nothing takes connections there";
            case SSLException failed -> "could not be connected to safely: " + cause.getMessage();
            default ->
                "gave no answer that is one (%s)".formatted(cause.getClass().getSimpleName());
        };
    }

    private static boolean isNameUnknown(Throwable failed) {
        return failed.getCause() instanceof UnresolvedAddressException
                || failed.getCause() instanceof UnknownHostException
                || (failed.getCause() != null && isNameUnknown(failed.getCause()));
    }
}
