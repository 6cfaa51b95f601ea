package dev.spream.format.protobuf;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import dev.spream.servers.rows.RandomRow;
import dev.spream.servers.rows.ValueKind;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests that a row of columns of any types, in both dialects, is read back by Google's parser as it was written. */
final class EveryTypeTest {
    private static final int ROWS = 3_000;
    private static final long SEED = Long.getLong("seed", System.nanoTime());

    @Test
    void any_row_is_read_back_with_the_file_that_is_published() throws Exception {
        Random random = new Random(SEED);
        List<RandomRow> rows = IntStream.range(0, ROWS)
                .mapToObj(i -> RandomRow.of("sales.Orders" + i, random))
                .toList();
        RowShape values = new RowShape();
        List<EncodedMessage> messages =
                rows.stream().map(row -> values.message(row.change())).toList();
        List<FileDescriptor> files = Protoc.files(
                messages.stream().map(message -> message.schema().text()).toList());
        Map<ValueKind, Integer> read = new HashMap<>();
        for (int i = 0; i < ROWS; i++) {
            RandomRow row = rows.get(i);
            DynamicMessage message = DynamicMessage.parseFrom(
                    files.get(i).findMessageTypeByName("Orders" + i),
                    messages.get(i).bytes());
            assertThat(message.getUnknownFields().asMap()).isEmpty();
            assertThat(read(message))
                    .as("row %d of -Dseed=%d: %s", i, SEED, row.change())
                    .isEqualTo(expected(row));
            row.kinds().values().forEach(kind -> read.merge(kind, 1, Integer::sum));
        }
        assertThat(read).containsOnlyKeys(ValueKind.values());
    }

    private static Map<String, @Nullable Object> read(DynamicMessage message) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
            if (!field.getName().equals("row_deleted")) {
                values.put(field.getJsonName(), message.hasField(field) ? value(message.getField(field)) : null);
            }
        }
        return values;
    }

    private static Object value(Object value) {
        if (!(value instanceof Message message)) {
            return value;
        }
        FieldDescriptor elements = message.getDescriptorForType().findFieldByName("elements");
        if (elements == null) {
            return Timestamp.newBuilder()
                    .setSeconds((Long)
                            message.getField(message.getDescriptorForType().findFieldByNumber(1)))
                    .setNanos((Integer)
                            message.getField(message.getDescriptorForType().findFieldByNumber(2)))
                    .build();
        }
        List<@Nullable Object> list = new ArrayList<>();
        for (Object element : (List<?>) message.getField(elements)) {
            FieldDescriptor single = elements.getMessageType().findFieldByName("value");
            list.add(((Message) element).hasField(single) ? value(((Message) element).getField(single)) : null);
        }
        return list;
    }

    private static Map<String, @Nullable Object> expected(RandomRow row) {
        Map<String, @Nullable Object> expected = new LinkedHashMap<>();
        row.read().forEach((name, value) -> {
            Object sent = row.change().mods().getFirst().keys().has(name)
                    ? row.change().mods().getFirst().keys().get(name)
                    : row.change().mods().getFirst().newValues().get(name);
            expected.put(name, expected(requireNonNull(row.kinds().get(name)), value, sent));
        });
        return expected;
    }

    /** Returns what Protobuf has for a value; it keeps the text of numbers with decimals and of dates. */
    private static @Nullable Object expected(ValueKind kind, @Nullable Object read, @Nullable Object sent) {
        return switch (read) {
            case null -> null;
            case List<?> list -> {
                List<@Nullable Object> elements = new ArrayList<>();
                for (int i = 0; i < list.size(); i++) {
                    elements.add(expected(kind, list.get(i), ((List<?>) requireNonNull(sent)).get(i)));
                }
                yield elements;
            }
            case BigDecimal number -> sent;
            case LocalDate date -> date.toString();
            case ByteBuffer bytes -> ByteString.copyFrom(bytes.duplicate());
            case String text
            when kind == ValueKind.TIMESTAMP -> {
                Instant time = Instant.parse(text);
                yield Timestamp.newBuilder()
                        .setSeconds(time.getEpochSecond())
                        .setNanos(time.getNano())
                        .build();
            }
            default -> read;
        };
    }
}
