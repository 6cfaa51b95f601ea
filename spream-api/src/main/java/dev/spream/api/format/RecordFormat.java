package dev.spream.api.format;

import static java.nio.charset.StandardCharsets.UTF_8;

/** The documentation's record with one row. Values are as Spanner encodes them: INT64 as a string, and so are keys. */
final class RecordFormat implements ChangeFormat {

    @Override
    public String contentType() {
        return "application/json";
    }

    @Override
    public boolean isText() {
        return true;
    }

    @Override
    public String beginning() {
        return "{\"commit_timestamp\":\"";
    }

    @Override
    public Deletion deletion() {
        return Deletion.VALUE;
    }

    @Override
    public byte[] key(ChangedRow row) {
        return row.recordKey().canonicalKey().getBytes(UTF_8);
    }

    @Override
    public byte[] value(ChangedRow row) {
        return row.change().withOnly(row.mod()).toJson().getBytes(UTF_8);
    }
}
