package dev.spream.cli.deadletter;

import dev.spream.cli.command.CommandFailure;
import dev.spream.core.consume.RecordKey;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The flags that select keys of rows. */
final class KeyArguments {
    @Option(names = "--table", paramLabel = "TABLE", description = "Only keys of this table.")
    private @Nullable String table;

    private @Nullable String key;

    @Spec(Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec command;

    /** Sets the key; rejects text that cannot be a key. */
    @Option(
            names = "--key",
            paramLabel = "KEY",
            description = "Only this key, as list shows it: Id=5, or Region=eu,Id=5, or the same as JSON.")
    void key(String text) {
        if (!text.startsWith("{") && text.indexOf('=') < 1 && !text.equals(KeyText.EMPTY)) {
            throw new ParameterException(
                    command.commandLine(),
                    "--key '%s' is not a key: write it as list shows it, Id=5, or as JSON".formatted(text));
        }
        key = text;
    }

    boolean isGiven() {
        return table != null || key != null;
    }

    boolean hasKey() {
        return key != null;
    }

    boolean matches(RecordKey candidate) {
        return (table == null || table.equals(candidate.tableName())) && (key == null || KeyText.names(key, candidate));
    }

    /** Returns the selected key among the candidates. */
    Optional<RecordKey> find(Set<RecordKey> candidates) {
        Set<RecordKey> found = candidates.stream().filter(this::matches).collect(Collectors.toSet());
        if (found.size() > 1) {
            throw new CommandFailure("%s is a key of several tables: add --table, one of %s"
                    .formatted(
                            key,
                            found.stream().map(RecordKey::tableName).sorted().collect(Collectors.joining(", "))));
        }
        return found.stream().findFirst();
    }

    @Override
    public String toString() {
        return (table == null ? "" : table + " ") + (key == null ? "" : key);
    }
}
