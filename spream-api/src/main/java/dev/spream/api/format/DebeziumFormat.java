package dev.spream.api.format;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.spream.api.spi.NonRetryableException;
import java.time.Instant;
import java.time.InstantSource;

/**
 * The messages of Debezium's connector for Spanner, as Kafka Connect's {@code JsonConverter} writes them: fields in the
 * order of the schema, and null where there is no value. {@code before} and {@code after} have the columns of the change:
 * Debezium also writes the other columns that the stream watches, as null.
 *
 * @see <a href="https://debezium.io/documentation/reference/stable/connectors/spanner.html">Debezium: Spanner connector</a>
 */
final class DebeziumFormat implements ChangeFormat {
    private final RowColumns.Cache columns = new RowColumns.Cache();
    private final DebeziumSource source;
    private final DebeziumSchemas schemas;
    private final boolean withSchemas;
    private final InstantSource clock;

    DebeziumFormat(DebeziumSource source, boolean withSchemas, InstantSource clock) {
        this.source = source;
        this.schemas = new DebeziumSchemas(source.name());
        this.withSchemas = withSchemas;
        this.clock = clock;
    }

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
        return withSchemas ? "{\"schema\":" : "{\"before\":";
    }

    @Override
    public Deletion deletion() {
        return Deletion.VALUE_THEN_TOMBSTONE;
    }

    @Override
    public byte[] key(ChangedRow row) {
        RowColumns known = columns.of(row.change());
        StringBuilder out = new StringBuilder();
        if (withSchemas) {
            beginWithSchema(out, schemas.of(row, known).key());
        }
        known.appendKey(out, row.mod());
        return end(out);
    }

    @Override
    public byte[] value(ChangedRow row) {
        RowColumns known = columns.of(row.change());
        StringBuilder out = new StringBuilder(1024);
        if (withSchemas) {
            beginWithSchema(out, schemas.of(row, known).value());
        }
        appendEnvelope(out, row, known);
        return end(out);
    }

    private static void beginWithSchema(StringBuilder out, String schema) {
        out.append("{\"schema\":").append(schema).append(",\"payload\":");
    }

    private byte[] end(StringBuilder out) {
        if (withSchemas) {
            out.append('}');
        }
        return out.toString().getBytes(UTF_8);
    }

    private void appendEnvelope(StringBuilder out, ChangedRow row, RowColumns known) {
        String operation = operation(row);
        out.append("{\"before\":");
        if (operation.equals("u") || operation.equals("d")) {
            known.appendWhole(out, row.mod(), row.mod().oldValues());
        } else {
            out.append("null");
        }
        out.append(",\"after\":");
        if (operation.equals("d")) {
            out.append("null");
        } else {
            known.appendWhole(out, row.mod(), row.mod().newValues());
        }
        out.append(",\"source\":");
        source.append(out, row);
        Instant now = clock.instant();
        DebeziumSource.member(out, "op", operation);
        DebeziumSource.member(out, "ts_ms", now.toEpochMilli());
        DebeziumSource.member(out, "ts_us", DebeziumSource.micros(now));
        DebeziumSource.member(out, "ts_ns", DebeziumSource.nanos(now));
        out.append(",\"transaction\":null}");
    }

    private static String operation(ChangedRow row) {
        return switch (row.change().modType()) {
            case INSERT -> row.delivery().partition().isOfSnapshot() ? "r" : "c";
            case UPDATE -> "u";
            case DELETE -> "d";
            case UNKNOWN ->
                throw new NonRetryableException(
                        "the change %s is of the unknown kind %s, for which Debezium has no operation"
                                .formatted(row.change().identity(), row.change().modTypeName()));
        };
    }
}
