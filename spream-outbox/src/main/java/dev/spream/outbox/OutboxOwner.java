package dev.spream.outbox;

import static java.util.Objects.requireNonNull;

import java.util.UUID;
import java.util.regex.Pattern;

/**
 * The identity of a worker in claims and segment leases.
 *
 * @param name a name for operators, such as the host name: 1 to 100 printable ASCII characters without a slash
 * @param id a random id, new with each start of a worker, since host names and process ids are reused
 */
public record OutboxOwner(String name, UUID id) {
    private static final Pattern NAME = Pattern.compile("[\\x20-\\x2e\\x30-\\x7e]{1,100}");

    public OutboxOwner {
        requireNonNull(id, "id");
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "worker name '%s' must be 1 to 100 printable ASCII characters without a slash".formatted(name));
        }
    }

    public static OutboxOwner of(String name) {
        return new OutboxOwner(name, UUID.randomUUID());
    }

    /** Returns the name, a slash and the id, as stored. */
    @Override
    public String toString() {
        return name + "/" + id;
    }
}
