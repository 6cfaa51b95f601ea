package dev.spream.core.serialization;

import static java.util.Objects.requireNonNull;

/**
 * A value as it is stored.
 *
 * @param type the name of its type: {@code MoneyDeposited} of version 1, {@code MoneyDeposited@2} of version 2
 * @param json a JSON text
 */
public record SerializedValue(String type, String json) {
    public SerializedValue {
        requireNonNull(type, "type");
        requireNonNull(json, "json");
    }

    /** Omits the text, which may be confidential. */
    @Override
    public String toString() {
        return type;
    }
}
