package dev.spream.emulator.internal.stream;

import static dev.spream.emulator.internal.stream.StreamRig.T0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.NullValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.control.DrivenClock;
import dev.spream.emulator.control.PartitionChurn;
import dev.spream.emulator.internal.streamsql.ChangeStreamQuery;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChangeStreamQueryParserTest {
    private static final String NOW = T0.toString();

    private final StreamRig googleSql = new StreamRig(DrivenClock.startingAt(T0), 1);
    private final StreamRig postgresql =
            new StreamRig(DrivenClock.startingAt(T0), 1, DatabaseDialect.POSTGRESQL, 2, PartitionChurn.none());

    ChangeStreamQueryParserTest() {
        googleSql.ddl("CREATE CHANGE STREAM Orders1 FOR ALL");
        postgresql.ddl("CREATE CHANGE STREAM \"Orders1\" FOR ALL");
        postgresql.ddl("CREATE CHANGE STREAM Folded FOR ALL");
        postgresql.ddl("CREATE CHANGE STREAM Mutable WITH (partition_mode = 'MUTABLE_KEY_RANGE')");
        googleSql.ddl("CREATE CHANGE STREAM Mutable OPTIONS (partition_mode = 'MUTABLE_KEY_RANGE')");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT ChangeRecord FROM READ_Orders1(start_timestamp => @s, end_timestamp => @e, partition_token => @t,"
                        + " heartbeat_milliseconds => @h)",
                "SELECT * FROM READ_Orders1(start_timestamp => @s, end_timestamp => @e, partition_token => @t,"
                        + " read_options => null, heartbeat_milliseconds => @h)",
                "SELECT ChangeRecord FROM READ_Orders1 (@s, @e, @t, @h)",
                "select changerecord\n from `read_orders1`(@S, @e, @t, @h, NULL); -- all of it",
                "SELECT ChangeRecord FROM READ_Orders1(\"2026-01-01T00:00:00Z\", NULL, 'abc', 10000)",
                "SELECT ChangeRecord FROM READ_Orders1(TIMESTAMP '2026-01-01T00:00:00Z', NULL, 'abc', 10000)",
            })
    void googlesql_queries_are_understood(String sql) {
        ChangeStreamQuery query = parse(googleSql, sql, "s", "e", "t", "h");
        assertThat(query)
                .usingRecursiveComparison()
                .ignoringFields("function")
                .isEqualTo(new ChangeStreamQuery("Orders1", "", T0, null, "abc", 10_000L, false, ByteString.EMPTY));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT * FROM \"spanner\".\"read_json_Orders1\"($1, $2, $3, $4, null)",
                "SELECT * FROM spanner.\"read_json_Orders1\" ($1, $2, $3, $4, NULL)",
                "SELECT * FROM \"spanner\".\"read_json_Orders1\" ('2026-01-01T00:00:00Z', NULL, 'abc', 10000, NULL) ;",
                "SELECT \"read_json_Orders1\" FROM \"spanner\".\"read_json_Orders1\""
                        + "('2026-01-01 00:00:00Z'::timestamptz, NULL, 'abc'::text, 10000, null)",
            })
    void postgresql_queries_are_understood(String sql) {
        assertThat(parse(postgresql, sql, "p1", "p2", "p3", "p4"))
                .isEqualTo(new ChangeStreamQuery(
                        "Orders1", "read_json_Orders1", T0, null, "abc", 10_000L, false, ByteString.EMPTY));
    }

    @Test
    void postgresql_folds_names_that_are_not_quoted() {
        String arguments = "('" + NOW + "', NULL, NULL, 1000, NULL)";
        assertThat(parse(postgresql, "SELECT * FROM spanner.READ_JSON_Folded" + arguments).stream())
                .isEqualTo("folded");
        refuses(postgresql, "SELECT * FROM spanner.\"read_json_Folded\"" + arguments, Status.Code.NOT_FOUND);
        refuses(postgresql, "SELECT * FROM spanner.read_json_Orders1" + arguments, Status.Code.NOT_FOUND);
    }

    @Test
    void streams_with_mutable_key_ranges_have_another_function_in_postgresql_and_the_same_in_googlesql() {
        String arguments = "('" + NOW + "', NULL, NULL, 1000, NULL)";
        assertThat(parse(postgresql, "SELECT * FROM \"spanner\".\"read_proto_bytes_mutable\"" + arguments))
                .extracting(ChangeStreamQuery::stream, ChangeStreamQuery::function)
                .containsExactly("mutable", "read_proto_bytes_mutable");
        assertThat(parse(googleSql, "SELECT ChangeRecord FROM READ_Mutable" + arguments).stream())
                .isEqualTo("Mutable");
        refuses(postgresql, "SELECT * FROM spanner.read_json_mutable" + arguments, Status.Code.NOT_FOUND);
        refuses(postgresql, "SELECT * FROM spanner.read_proto_bytes_folded" + arguments, Status.Code.NOT_FOUND);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT 1",
                "SELECT * FROM READ_Orders1",
                "SELECT 'FROM READ_Orders1(' FROM Orders",
                "INSERT INTO Orders (Id) VALUES (1)",
            })
    void other_statements_are_not_parsed(String sql) {
        assertThat(googleSql.streams.parse(sql, Struct.getDefaultInstance(), Map.of()))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT 1 FROM READ_Orders1('2026-01-01T00:00:00Z', NULL, NULL, 1000)",
                "SELECT ChangeRecord AS x FROM READ_Orders1('2026-01-01T00:00:00Z', NULL, NULL, 1000)",
                "SELECT ChangeRecord FROM READ_Orders1('2026-01-01T00:00:00Z', NULL, NULL, 1000) AS r",
                "SELECT ChangeRecord FROM READ_Orders1('2026-01-01T00:00:00Z', NULL, NULL, 1000) WHERE TRUE",
                "SELECT ChangeRecord FROM Orders, READ_Orders1('2026-01-01T00:00:00Z', NULL, NULL, 1000)",
            })
    void a_read_function_must_be_alone(String sql) {
        refuses(googleSql, sql, Status.Code.UNIMPLEMENTED);
    }

    @Test
    void arguments_must_be_literals_or_parameters_of_the_right_type() {
        refuses(
                googleSql,
                "SELECT ChangeRecord FROM READ_Orders1(CURRENT_TIMESTAMP(), NULL, NULL, 1000)",
                Status.Code.INVALID_ARGUMENT);
        refuses(
                googleSql,
                "SELECT ChangeRecord FROM READ_Orders1('abc', NULL, NULL, 1000)",
                Status.Code.INVALID_ARGUMENT);
        refuses(googleSql, "SELECT ChangeRecord FROM READ_Orders1(bad => NULL)", Status.Code.INVALID_ARGUMENT);
        refuses(googleSql, "SELECT ChangeRecord FROM READ_Orders1(@unbound)", Status.Code.INVALID_ARGUMENT);
        refuses(
                googleSql,
                "SELECT ChangeRecord FROM READ_Orders1(NULL, NULL, NULL, 1, NULL, NULL)",
                Status.Code.INVALID_ARGUMENT);
    }

    @Test
    void an_unknown_stream_is_an_unknown_function() {
        assertThatThrownBy(() ->
                        parse(googleSql, "SELECT ChangeRecord FROM READ_Nope(@s, @e, @t, @h)", "s", "e", "t", "h"))
                .hasMessage("INVALID_ARGUMENT: Table-valued function not found: READ_Nope [at 1:26]");
    }

    @Test
    void a_start_that_is_null_is_parsed_and_refused_when_it_runs() {
        assertThat(parse(googleSql, "SELECT ChangeRecord FROM READ_Orders1()").start())
                .isNull();
    }

    private static ChangeStreamQuery parse(StreamRig rig, String sql, String... names) {
        Value[] values = {
            StreamRig.string(NOW),
            Value.newBuilder().setNullValue(NullValue.NULL_VALUE).build(),
            StreamRig.string("abc"),
            StreamRig.string("10000")
        };
        Struct.Builder params = Struct.newBuilder();
        for (int i = 0; i < names.length; i++) {
            params.putFields(names[i], values[i]);
        }
        return rig.streams.parse(sql, params.build(), Map.of()).orElseThrow();
    }

    private static void refuses(StreamRig rig, String sql, Status.Code code) {
        assertThatThrownBy(() -> parse(rig, sql))
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        e -> assertThat(e.getStatus().getCode()).isEqualTo(code));
    }
}
