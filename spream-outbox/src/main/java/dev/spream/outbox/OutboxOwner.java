package dev.spream.outbox;

import static java.util.Objects.requireNonNull;

import java.util.UUID;
import java.util.regex.Pattern;

/**
 * A worker, as claims and segments name it.
 *
 * @param name for people, such as the host's: 1 to 100 printable characters of ASCII, no slash
 * @param id another one each time a worker starts; process ids and host names come again
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

    /** As stores write it: the name, a slash, and the id. */
    @Override
    public String toString() {
        return name + "/" + id;
    }
}
