package dev.spream.cli.http;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Rejects requests with a foreign host name while only localhost is served: otherwise a web site whose name resolves to
 * this machine could read responses through its visitor's browser (DNS rebinding).
 */
record HostCheck(boolean thisMachineAlone) {
    private static final Set<String> THIS_MACHINE = Set.of("localhost", "127.0.0.1", "[::1]");
    private static final Pattern HOST = Pattern.compile("(\\[[0-9a-f:.]+]|[^:\\[\\]]+)(?::\\d{1,5})?");

    /** @param host the host of the request; null if it has none */
    boolean allows(@Nullable String host) {
        if (!thisMachineAlone) {
            return true;
        }
        Matcher matcher = HOST.matcher(host == null ? "" : host.toLowerCase(Locale.ROOT));
        return matcher.matches() && THIS_MACHINE.contains(matcher.group(1));
    }
}
