package dev.spream.cli.command;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option for the operator's name, which is recorded in the audit of manual changes. */
public final class ActorArgument {
    @Option(
            names = "--actor",
            paramLabel = "NAME",
            description = "Actor recorded in the audit. Default: user@host of this machine.")
    private @Nullable String actor;

    public String name() {
        return actor == null ? System.getProperty("user.name", "unknown") + "@" + host() : actor;
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost"; // a machine without a known host name
        }
    }
}
