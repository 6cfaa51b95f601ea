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

/** The reason why there was no response, in words that contain nothing of what was sent or received. */
final class TransportError {
    private TransportError() {}

    /**
     * Returns whether the request failed before the receiver could have it, even if the client had already sent data. A
     * failed handshake is such a case even then: no server accepts data that was sent with it.
     */
    static boolean isBeforeRequest(Throwable cause) {
        return switch (cause) {
            case ConnectException failed -> true;
            case HttpConnectTimeoutException over -> true;
            case SSLHandshakeException failed -> true;
            default -> false;
        };
    }

    /** Returns the predicate of a sentence whose subject is the server. */
    static String words(Throwable cause, Duration timeout) {
        return switch (cause) {
            case TimeoutException over -> "did not answer in time, within " + DurationText.of(timeout);
            case HttpConnectTimeoutException over -> "could not be connected to in time";
            case ConnectException failed when isNameUnknown(failed) -> "could not be connected to: its name is unknown";
            case ConnectException failed -> "could not be connected to: nothing takes connections there";
            case SSLException failed -> "could not be connected to safely: " + cause.getMessage();
            default ->
                "sent an invalid response (%s)".formatted(cause.getClass().getSimpleName());
        };
    }

    private static boolean isNameUnknown(Throwable failed) {
        return failed.getCause() instanceof UnresolvedAddressException
                || failed.getCause() instanceof UnknownHostException
                || (failed.getCause() != null && isNameUnknown(failed.getCause()));
    }
}
