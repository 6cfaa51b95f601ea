package dev.spream.flink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.DataChangeRecord;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.SerializerTestBase;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.Test;

/** Flink's own tests of serializers, with change records; and tests of the schemas that emit them. */
final class ChangeRecordSerializerTest extends SerializerTestBase<DataChangeRecord> {
    private static final String JSON = """
            {"commit_timestamp":"2026-01-31T10:00:00.123456789Z","record_sequence":"00000001","server_transaction_id":"tx",\
            "is_last_record_in_transaction_in_partition":true,"table_name":"Accounts","column_types":[\
            {"name":"Id","type":{"code":"STRING"},"is_primary_key":true,"ordinal_position":1},\
            {"name":"Amounts","type":{"code":"ARRAY","array_element_type":{"code":"INT64"}},"is_primary_key":false,"ordinal_position":2}\
            ],"mods":[{"keys":{"Id":"ü\\u0000\\n😀"},"new_values":{"Amounts":["1",null]},"old_values":{"Amounts":null}}],\
            "mod_type":"UPDATE","value_capture_type":"NEW_ROW_AND_OLD_VALUES","number_of_records_in_transaction":3,\
            "number_of_partitions_in_transaction":2,"transaction_tag":"app=\\"x\\"","is_system_transaction":true}""";

    private static final DataChangeRecord CHANGE = ChangeRecordJson.readDataChange(JSON);

    @Override
    protected TypeSerializer<DataChangeRecord> createSerializer() {
        return ChangeDeserializationSchema.records().getProducedType().createSerializer(new SerializerConfigImpl());
    }

    @Override
    protected int getLength() {
        return -1;
    }

    @Override
    protected Class<DataChangeRecord> getTypeClass() {
        return DataChangeRecord.class;
    }

    @Override
    protected DataChangeRecord[] getTestData() {
        DataChangeRecord large =
                DataChangeRecord.withoutRows(Instant.MAX.minusSeconds(1), "1", "tx".repeat(100_000), "Accounts");
        return new DataChangeRecord[] {CHANGE, large, DataChangeRecord.withoutRows(Instant.EPOCH, "", "", "")};
    }

    @Test
    void records_are_emitted_as_they_are_and_json_as_the_documentation_has_it() throws IOException {
        assertThat(emitted(ChangeDeserializationSchema.records())).containsExactly(CHANGE);
        assertThat(emitted(ChangeDeserializationSchema.json())).containsExactly(JSON);
        assertThat(ChangeRecordJson.readDataChange(
                        emitted(ChangeDeserializationSchema.json()).getFirst()))
                .isEqualTo(CHANGE);
    }

    @Test
    void the_types_of_two_schemas_are_equal() {
        TypeInformation<DataChangeRecord> type =
                ChangeDeserializationSchema.records().getProducedType();
        assertThat(type)
                .isEqualTo(ChangeDeserializationSchema.records().getProducedType())
                .hasSameHashCodeAs(ChangeDeserializationSchema.records().getProducedType())
                .isNotEqualTo(ChangeDeserializationSchema.json().getProducedType());
        assertThat(type.getTypeClass()).isEqualTo(DataChangeRecord.class);
    }

    private static <T> List<T> emitted(ChangeDeserializationSchema<T> schema) throws IOException {
        List<T> emitted = new ArrayList<>();
        schema.deserialize(CHANGE, new Collector<>() {
            @Override
            public void collect(T element) {
                emitted.add(element);
            }

            @Override
            public void close() {}
        });
        return emitted;
    }
}
