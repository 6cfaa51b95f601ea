package dev.spream.api.format;

import dev.spream.api.spi.MessageFormat;
import java.util.Optional;

/** The messages of a plug-in's format. */
record PluggedFormat(MessageFormat messages) implements ChangeFormat {

    @Override
    public String contentType() {
        return messages.contentType();
    }

    @Override
    public boolean isText() {
        return false;
    }

    @Override
    public String beginning() {
        return "";
    }

    @Override
    public Deletion deletion() {
        return messages.hasTombstones() ? Deletion.TOMBSTONE : Deletion.VALUE;
    }

    @Override
    public byte[] key(ChangedRow row) {
        return key(row, Optional.empty());
    }

    @Override
    public byte[] value(ChangedRow row) {
        return value(row, Optional.empty());
    }

    @Override
    public byte[] key(ChangedRow row, Optional<String> topic) {
        return messages.key(row.change().withOnly(row.mod()), topic);
    }

    @Override
    public byte[] value(ChangedRow row, Optional<String> topic) {
        return messages.value(row.change().withOnly(row.mod()), row.delivery(), topic);
    }
}
