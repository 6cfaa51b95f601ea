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

/** The arguments that select entries of an outbox. */
final class EntryArguments {
    @Parameters(
            paramLabel = "ID",
            arity = "0..*",
            converter = EntryId.Digits.class,
            description = "Ids of the entries, as list shows them.")
    private List<EntryId> ids = new ArrayList<>();

    @Option(names = "--key", paramLabel = "KEY", description = "Idempotency key of an entry. May be repeated.")
    private List<String> keys = new ArrayList<>();

    /** @throws TypeConversionException if an id is malformed */
    void requireIds() {
        ids.forEach(EntryId::value);
    }

    boolean isGiven() {
        return !ids.isEmpty() || !keys.isEmpty();
    }

    boolean isOne() {
        return ids.size() + keys.size() == 1;
    }

    /** Returns the ids of all entries without duplicates, in the order of the arguments. */
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

    /** Returns the only entry, if it exists. */
    Optional<OutboxRow> one(OutboxOperations outbox) {
        return id().flatMap(outbox::find).or(() -> key().flatMap(outbox::find));
    }

    /** Returns the id of the only entry, if it is given by id. */
    Optional<Long> id() {
        return ids.stream().map(EntryId::value).findFirst();
    }

    /** Returns the key of the only entry, if it is given by key. */
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
