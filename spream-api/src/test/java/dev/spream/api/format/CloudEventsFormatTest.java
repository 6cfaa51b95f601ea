package dev.spream.api.format;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import io.cloudevents.CloudEvent;
import io.cloudevents.SpecVersion;
import io.cloudevents.core.provider.EventFormatProvider;
import io.cloudevents.jackson.JsonFormat;
import java.net.URI;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The official SDK reads what the format writes. */
final class CloudEventsFormatTest {
    private final ChangeFormat format = ChangeFormat.cloudEvents(Rows.STREAM);

    private CloudEvent read(ChangedRow row) {
        return Objects.requireNonNull(EventFormatProvider.getInstance().resolveFormat(format.contentType()))
                .deserialize(format.value(row));
    }

    @Test
    void the_sdk_reads_every_attribute() {
        assertThat(format.contentType()).isEqualTo(JsonFormat.CONTENT_TYPE);
        CloudEvent event = read(Rows.inserted());
        assertThat(event.getSpecVersion()).isEqualTo(SpecVersion.V1);
        assertThat(event.getId()).isEqualTo("2026-01-31T12:00:00.123456789Z/tx1/00000007/0");
        assertThat(event.getSource())
                .isEqualTo(URI.create(
                        "//spanner.googleapis.com/projects/p/instances/i/databases/shop/changeStreams/OrdersStream"));
        assertThat(event.getType()).isEqualTo("dev.spream.change.insert");
        assertThat(event.getSubject()).isEqualTo(Rows.inserted().recordKey().text());
        assertThat(event.getTime().toInstant()).isEqualTo(Rows.COMMITTED);
        assertThat(event.getDataContentType()).isEqualTo("application/json");
        assertThat(event.getDataSchema().isAbsolute()).isTrue();
        assertThat(event.getExtension("partitionkey"))
                .isEqualTo(Rows.inserted().recordKey().text());
        assertThat(read(Rows.deleted()).getType()).isEqualTo("dev.spream.change.delete");
    }

    @Test
    void the_data_is_the_record_with_the_one_row() {
        DataChangeRecord two = Rows.change(
                "UPDATE",
                "NEW_ROW",
                Rows.COLUMNS,
                new Mod(JsonObject.of("{\"Id\":\"1\"}"), JsonObject.of("{\"Status\":\"A\"}"), JsonObject.EMPTY),
                new Mod(JsonObject.of("{\"Id\":\"2\"}"), JsonObject.of("{\"Status\":\"B\"}"), JsonObject.EMPTY));
        List<CloudEvent> events = ChangedRow.of(two, Rows.delivery("partition-1")).stream()
                .map(this::read)
                .toList();
        assertThat(events).extracting(CloudEvent::getId).doesNotHaveDuplicates().hasSize(2);
        for (int i = 0; i < 2; i++) {
            String data = new String(events.get(i).getData().toBytes(), UTF_8);
            assertThat(ChangeRecordJson.readDataChange(data))
                    .isEqualTo(two.withOnly(two.mods().get(i)));
        }
    }
}
