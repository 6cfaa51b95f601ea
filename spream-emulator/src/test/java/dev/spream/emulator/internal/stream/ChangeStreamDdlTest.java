package dev.spream.emulator.internal.stream;

import static dev.spream.emulator.internal.stream.StreamRig.T0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.control.DrivenClock;
import dev.spream.emulator.control.PartitionChurn;
import dev.spream.emulator.internal.schema.Table;
import dev.spream.emulator.internal.streamsql.WatchSpec;
import dev.spream.emulator.internal.streamsql.WatchSpec.TableWatch;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ChangeStreamDdlTest {
    private final StreamRig rig = new StreamRig(DrivenClock.startingAt(T0), 1);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE CHANGE STREAM S",
                "CREATE CHANGE STREAM S FOR ALL",
                "CREATE CHANGE STREAM S FOR Orders, Items(), `ALL`",
                "CREATE CHANGE STREAM S FOR Orders(Customer, Total)",
                "CREATE CHANGE STREAM S FOR ALL OPTIONS (retention_period = '36h', value_capture_type = 'NEW_ROW')",
                "CREATE CHANGE STREAM S OPTIONS (exclude_insert = true, exclude_ttl_deletes = false)",
                "CREATE CHANGE STREAM S OPTIONS (partition_mode = 'IMMUTABLE_KEY_RANGE')",
                "CREATE CHANGE STREAM S OPTIONS (partition_mode = 'MUTABLE_KEY_RANGE')",
            })
    void a_stream_is_printed_as_it_was_declared(String ddl) {
        rig.streams.apply(ddl, withTableNamedAll());
        assertThat(rig.streams.ddl()).containsExactly(ddl);
    }

    @Test
    void names_take_the_spelling_of_the_schema() {
        rig.ddl("create change stream S for ORDERS(customer)");
        assertThat(rig.streams.ddl()).containsExactly("CREATE CHANGE STREAM S FOR Orders(Customer)");
    }

    @Test
    void postgresql_has_its_own_clauses_and_folds_names() {
        StreamRig pg =
                new StreamRig(DrivenClock.startingAt(T0), 1, DatabaseDialect.POSTGRESQL, 2, PartitionChurn.none());
        pg.ddl("CREATE CHANGE STREAM Mixed FOR public.\"Orders\"(\"Customer\") WITH (retention_period = '2d')");
        pg.ddl("ALTER CHANGE STREAM mixed SET (value_capture_type = 'NEW_ROW', exclude_delete = true)");
        assertThat(pg.streams.ddl())
                .containsExactly(
                        "CREATE CHANGE STREAM mixed FOR \"Orders\"(\"Customer\") WITH (retention_period = '2d',"
                                + " value_capture_type = 'NEW_ROW', exclude_delete = true)");
        assertThatThrownBy(() -> pg.ddl("ALTER CHANGE STREAM mixed SET OPTIONS (retention_period = '7d')"))
                .isInstanceOf(StatusRuntimeException.class);
    }

    @Test
    void alter_replaces_what_is_watched_and_merges_options_and_null_takes_one_back() {
        rig.ddl("CREATE CHANGE STREAM S FOR Orders OPTIONS (retention_period = '2d', exclude_insert = true)");
        rig.ddl("ALTER CHANGE STREAM S SET FOR Items");
        rig.ddl("ALTER CHANGE STREAM S SET OPTIONS (retention_period = NULL, value_capture_type = 'NEW_VALUES')");
        assertThat(rig.streams.definitions())
                .containsExactly(new StreamDefinition(
                        "S",
                        new WatchSpec(false, List.of(new TableWatch("Items", true, List.of()))),
                        new StreamOptions(Map.of("exclude_insert", "true", "value_capture_type", "NEW_VALUES"))));
        rig.ddl("ALTER CHANGE STREAM S DROP FOR ALL");
        rig.ddl("DROP CHANGE STREAM s");
        assertThat(rig.streams.definitions()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "CREATE CHANGE STREAM s FOR ALL | FAILED_PRECONDITION | Duplicate name in schema: s.",
                "CREATE CHANGE STREAM orders FOR ALL | FAILED_PRECONDITION | Duplicate name in schema: orders.",
                "CREATE CHANGE STREAM x FOR Nope | FAILED_PRECONDITION | cannot track Nope because either",
                "CREATE CHANGE STREAM x FOR Orders(Zip) | FAILED_PRECONDITION"
                        + " | cannot track column Zip because it does not exist in Table Orders.",
                "CREATE CHANGE STREAM x FOR Orders(Id) | FAILED_PRECONDITION | primary key column Id of Table Orders",
                "CREATE CHANGE STREAM x FOR Orders, Orders | FAILED_PRECONDITION | list Table Orders more than once",
                "CREATE CHANGE STREAM x FOR Orders(Total, Total) | FAILED_PRECONDITION | list Column Total of Table",
                "CREATE CHANGE STREAM x OPTIONS (foo = true) | INVALID_ARGUMENT | Option: foo is unknown.",
                "CREATE CHANGE STREAM x OPTIONS (retention_period = '1h') | FAILED_PRECONDITION"
                        + " | Invalid retention_period: 1h.",
                "CREATE CHANGE STREAM x OPTIONS (retention_period = '1x') | FAILED_PRECONDITION"
                        + " | Invalid time duration format: 1x.",
                "CREATE CHANGE STREAM x OPTIONS (retention_period = true) | INVALID_ARGUMENT | Unexpected value",
                "CREATE CHANGE STREAM x OPTIONS (retention_period = '2d', retention_period = '2d') | INVALID_ARGUMENT"
                        + " | Duplicate option: retention_period",
                "CREATE CHANGE STREAM x OPTIONS (value_capture_type = 'FOO') | FAILED_PRECONDITION"
                        + " | Invalid value_capture_type: FOO.",
                "CREATE CHANGE STREAM x OPTIONS (exclude_insert = 'true') | INVALID_ARGUMENT | Unexpected value",
                "CREATE CHANGE STREAM x OPTIONS (partition_mode = 'MUTABLE') | FAILED_PRECONDITION"
                        + " | Invalid partition_mode: MUTABLE. Change Streams only support",
                "CREATE CHANGE STREAM x OPTIONS () | INVALID_ARGUMENT | Error parsing Spanner DDL statement",
                "CREATE CHANGE STREAM x FOR | INVALID_ARGUMENT | Error parsing Spanner DDL statement",
                "CREATE CHANGE STREAM x FOR ALL() | INVALID_ARGUMENT | Error parsing Spanner DDL statement",
                "CREATE CHANGE STREAM x FOR Orders, ALL | INVALID_ARGUMENT | Error parsing Spanner DDL statement",
                "ALTER CHANGE STREAM S | INVALID_ARGUMENT | Error parsing Spanner DDL statement",
                "ALTER CHANGE STREAM S DROP FOR Orders | INVALID_ARGUMENT | Error parsing Spanner DDL statement",
                "ALTER CHANGE STREAM S DROP FOR ALL | FAILED_PRECONDITION | does not have a FOR clause",
                "ALTER CHANGE STREAM S SET OPTIONS (partition_mode = 'IMMUTABLE_KEY_RANGE') | FAILED_PRECONDITION"
                        + " | partition_mode cannot be altered",
                "ALTER CHANGE STREAM S SET OPTIONS (partition_mode = 'MUTABLE_KEY_RANGE') | FAILED_PRECONDITION"
                        + " | partition_mode cannot be altered",
                "ALTER CHANGE STREAM nope SET FOR ALL | NOT_FOUND | Change Stream not found: nope",
                "DROP CHANGE STREAM nope | NOT_FOUND | Change Stream not found: nope",
                "DROP CHANGE STREAM | INVALID_ARGUMENT | Error parsing Spanner DDL statement",
            })
    void statements_that_contradict_grammar_or_schema_change_nothing(String ddl, Status.Code code, String text) {
        rig.ddl("CREATE CHANGE STREAM S");
        assertThatThrownBy(() -> rig.ddl(ddl)).isInstanceOfSatisfying(StatusRuntimeException.class, e -> {
            assertThat(e.getStatus().getCode()).isEqualTo(code);
            assertThat(e.getStatus().getDescription()).contains(text);
        });
        assertThat(rig.streams.ddl()).containsExactly("CREATE CHANGE STREAM S");
    }

    @Test
    void a_fourth_stream_of_one_table_and_an_eleventh_stream_are_refused() {
        for (int i = 0; i < 3; i++) {
            rig.ddl("CREATE CHANGE STREAM Orders" + i + " FOR Orders");
        }
        assertThatThrownBy(() -> rig.ddl("CREATE CHANGE STREAM More FOR Orders"))
                .hasMessageContaining("more than 3");
        for (int i = 3; i < 10; i++) {
            rig.ddl("CREATE CHANGE STREAM Stream" + i);
        }
        assertThatThrownBy(() -> rig.ddl("CREATE CHANGE STREAM More")).hasMessageContaining("limit 10");
    }

    @Test
    void tables_and_columns_that_a_stream_watches_cannot_be_dropped() {
        rig.ddl("CREATE CHANGE STREAM S FOR Orders(Customer)");
        rig.ddl("CREATE CHANGE STREAM Everything FOR ALL");
        assertThatThrownBy(() -> rig.streams.checkTableChange("orders", ""))
                .hasMessageContaining("is tracked by 1 Change Stream: S.");
        assertThatThrownBy(() -> rig.streams.checkTableChange("Orders", "customer"))
                .hasMessageContaining("Columns explicitly tracked by a Change Stream cannot be dropped.");
        assertThatCode(() -> {
                    rig.streams.checkTableChange("Orders", "Total");
                    rig.streams.checkTableChange("Items", "");
                })
                .doesNotThrowAnyException();
    }

    @Test
    void only_statements_about_change_streams_are_handled() {
        assertThat(rig.streams.handles("/* x */ create  Change\nSTREAM a")).isTrue();
        assertThat(rig.streams.handles("DROP CHANGE STREAM a")).isTrue();
        assertThat(rig.streams.handles("CREATE TABLE change_stream (Id INT64) PRIMARY KEY (Id)"))
                .isFalse();
        assertThat(rig.streams.handles("")).isFalse();
    }

    private static Map<String, Table> withTableNamedAll() {
        Table all = new Table("ALL", StreamRig.ITEMS.columns(), StreamRig.ITEMS.primaryKey());
        return Map.of("Orders", StreamRig.ORDERS, "Items", StreamRig.ITEMS, "ALL", all);
    }
}
