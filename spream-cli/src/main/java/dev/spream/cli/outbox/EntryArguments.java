package dev.spream.cli.outbox;

import dev.spream.cli.command.CommandFailure;
import dev.spream.cli.output.PlainText;
import dev.spream.outbox.OutboxOperations;
import dev.spream.outbox.OutboxRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** The arguments that name entries of an outbox. */
final class EntryArguments {
    @Parameters(
            paramLabel = "ID",
            arity = "0..*",
            converter = EntryId.Digits.class,
            description = "Ids of the entries, as list shows them.")
    private List<EntryId> ids = new ArrayList<>();

    @Option(names = "--key", paramLabel = "KEY", description = "Idempotency key of an entry. May be repeated.")
    private List<String> keys = new ArrayList<>();

    /** @throws TypeConversionException if what stands for an id can be none */
    void requireIds() {
        ids.forEach(EntryId::value);
    }

    boolean isGiven() {
        return !ids.isEmpty() || !keys.isEmpty();
    }

    boolean isOne() {
        return ids.size() + keys.size() == 1;
    }

    /** The ids of all of them, each once, in the order in which they were named. */
    List<Long> ids(OutboxOperations outbox) {
        List<Long> all = new ArrayList<>(ids.stream().map(EntryId::value).toList());
        for (String key : keys) {
            all.add(outbox.find(key)
                    .map(OutboxRow::id)
                    .orElseThrow(() -> new CommandFailure(
                            "there is no entry with the key %s; nothing was changed".formatted(PlainText.of(key)))));
        }
        return all.stream().distinct().toList();
    }

    /** The only one, if the outbox has it. */
    Optional<OutboxRow> one(OutboxOperations outbox) {
        return id().flatMap(outbox::find).or(() -> key().flatMap(outbox::find));
    }

    /** The id of the only one, if it is named so. */
    Optional<Long> id() {
        return ids.stream().map(EntryId::value).findFirst();
    }

    /** The key of the only one, if it is named so. */
    Optional<String> key() {
        return keys.stream().findFirst();
    }

    @Override
    public String toString() {
        return keys.isEmpty()
                ? String.join(", ", ids.stream().map(EntryId::digits).toList())
                : "with the key " + PlainText.of(String.join(", ", keys));
    }
}
