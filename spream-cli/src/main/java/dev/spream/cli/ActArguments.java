package dev.spream.cli;

import dev.spream.outbox.ManualAct;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Who changes an outbox by hand, and why. */
final class ActArguments {
    @Spec(Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec command;

    @Option(
            names = "--actor",
            paramLabel = "NAME",
            description = "Who does it, for the audit. Default: the user of this machine, at its name.")
    private @Nullable String actor;

    @Option(names = "--why", paramLabel = "TEXT", description = "Why, for the audit.")
    private @Nullable String why;

    /** Who reads the audit of single entries is to know. */
    void requireReason() {
        if (why == null || why.isBlank()) {
            throw new ParameterException(command.commandLine(), "say why, for whoever reads the audit: --why TEXT");
        }
    }

    ManualAct act() {
        try {
            return new ManualAct(actor == null ? user() : actor, why == null ? "" : why);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    static String user() {
        return System.getProperty("user.name", "somebody") + "@" + host();
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost"; // a machine that does not know its own name
        }
    }
}
