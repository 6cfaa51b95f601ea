package dev.spream.examples.http;

import com.sun.net.httpserver.Headers;
import java.net.InetAddress;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Refuses what a web site makes its visitor's browser send: a request for another host, where this machine alone is served, as
 * after DNS rebinding, and a request from the page of another origin. Programs send no Origin. Immutable.
 */
final class BrowserCheck {
    private static final Set<String> THIS_MACHINE = Set.of("localhost", "127.0.0.1", "[::1]");
    private static final Pattern HOST = Pattern.compile("(\\[[0-9a-f:.]+]|[^:\\[\\]]+)(?::\\d{1,5})?");
    private static final int FORBIDDEN = 403;
    private static final int MISDIRECTED = 421;

    private final boolean thisMachineAlone;

    private BrowserCheck(boolean thisMachineAlone) {
        this.thisMachineAlone = thisMachineAlone;
    }

    static BrowserCheck of(InetAddress listening) {
        return new BrowserCheck(listening.isLoopbackAddress());
    }

    /** What is answered instead; empty if nothing is wrong. */
    Optional<Answer> refusal(Headers request) {
        String host = Optional.ofNullable(request.getFirst("Host")).orElse("").toLowerCase(Locale.ROOT);
        Matcher matcher = HOST.matcher(host);
        if (thisMachineAlone && !(matcher.matches() && THIS_MACHINE.contains(matcher.group(1)))) {
            return Optional.of(Answer.problem(
                    MISDIRECTED, "Misdirected request", "This serves its own machine alone, by the name localhost."));
        }
        List<String> origins = Optional.ofNullable(request.get("Origin")).orElse(List.of());
        if (!origins.stream().allMatch(origin -> host.equals(authority(origin)))) {
            return Optional.of(
                    Answer.problem(FORBIDDEN, "Another origin", "Pages of other origins may not send requests here."));
        }
        return Optional.empty();
    }

    private static @Nullable String authority(String origin) {
        try {
            String authority = URI.create(origin).getRawAuthority();
            return authority == null ? null : authority.toLowerCase(Locale.ROOT);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
