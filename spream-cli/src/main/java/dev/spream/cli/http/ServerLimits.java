package dev.spream.cli.http;

import java.util.Map;

/**
 * The limits of one client of the JDK's server, which has no other way to be told: its module's documentation names these
 * properties. What the user sets wins.
 *
 * @see <a href="https://docs.oracle.com/en/java/javase/21/docs/api/jdk.httpserver/module-summary.html">jdk.httpserver</a>
 */
final class ServerLimits {
    private static final Map<String, String> LIMITS = Map.of(
            "jdk.httpserver.maxConnections", "200",
            "sun.net.httpserver.maxReqTime", "10",
            "sun.net.httpserver.maxRspTime", "30",
            "sun.net.httpserver.idleInterval", "30",
            "sun.net.httpserver.maxReqHeaders", "100",
            "sun.net.httpserver.maxReqHeaderSize", "16384",
            "sun.net.httpserver.drainAmount", "16384");

    private ServerLimits() {}

    static void apply() {
        LIMITS.forEach((name, value) -> {
            if (System.getProperty(name) == null) {
                System.setProperty(name, value);
            }
        });
    }
}
