package dev.spream.projection;

import static java.util.Objects.requireNonNull;

import java.util.UUID;
import java.util.regex.Pattern;

/**
 * A process that runs projections, as the owner of leases.
 *
 * @param name a descriptive name, such as the host's: 1 to 100 printable characters of ASCII, no slash
 * @param id another one for each start of the process
 */
public record ProjectionOwner(String name, UUID id) {
    private static final Pattern NAME = Pattern.compile("[\\x20-\\x2e\\x30-\\x7e]{1,100}");

    public ProjectionOwner {
        requireNonNull(id, "id");
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "owner name '%s' must be 1 to 100 printable ASCII characters without a slash".formatted(name));
        }
    }

    public static ProjectionOwner of(String name) {
        return new ProjectionOwner(name, UUID.randomUUID());
    }

    /** Returns the stored form: the name, a slash, and the id. */
    @Override
    public String toString() {
        return name + "/" + id;
    }
}
