package dev.spream.storage.spanner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Options.RpcPriority;
import com.google.protobuf.Struct;
import com.google.spanner.v1.DirectedReadOptions;
import com.google.spanner.v1.DirectedReadOptions.IncludeReplicas;
import com.google.spanner.v1.DirectedReadOptions.ReplicaSelection;
import com.google.spanner.v1.ExecuteSqlRequest;
import com.google.spanner.v1.RequestOptions.Priority;
import dev.spream.api.config.ConfigSection;
import dev.spream.api.config.ResolvedConfig;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.OpenPlugin;
import dev.spream.api.plugin.Plugin;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.ChangeStreamSourceProvider;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.PartitionQuery;
import dev.spream.storage.spanner.source.ChangeStreamStatement;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SourceOptionsIT {
    private static final PartitionQuery QUERY = new PartitionQuery(
            PartitionToken.ROOT,
            Instant.parse("2022-05-01T09:00:00Z"),
            Optional.of(Instant.parse("2022-05-01T10:00:00.000000001Z")),
            Duration.ofMillis(1_500));

    private MockSpanner spanner;

    @BeforeEach
    void open() throws IOException {
        spanner = new MockSpanner(Dialect.POSTGRESQL);
        spanner.declareStream("Orders", Map.of());
        spanner.answer(
                ChangeStreamStatement.statement(Dialect.POSTGRESQL, "Orders", QUERY),
                WireRows.resultSet(Dialect.POSTGRESQL, List.of(DocumentationRecords.record("initial_first"))));
    }

    @AfterEach
    void close() {
        spanner.close();
    }

    @Test
    void a_query_is_of_high_priority_and_has_no_tag_unless_told_otherwise() throws Exception {
        ExecuteSqlRequest request = read(SpannerChangeStreamSource.open(spanner.client(), "Orders"));

        assertThat(request.getRequestOptions().getPriority()).isEqualTo(Priority.PRIORITY_HIGH);
        assertThat(request.getRequestOptions().getRequestTag()).isEmpty();
        assertThat(request.hasDirectedReadOptions()).isFalse();
    }

    @Test
    void priority_tag_and_directed_reads_go_with_the_query() throws Exception {
        DirectedReadOptions readOnlyReplicas = DirectedReadOptions.newBuilder()
                .setIncludeReplicas(IncludeReplicas.newBuilder()
                        .addReplicaSelections(ReplicaSelection.newBuilder().setType(ReplicaSelection.Type.READ_ONLY)))
                .build();

        ExecuteSqlRequest request = read(SpannerChangeStreamSource.builder(spanner.client(), "Orders")
                .priority(RpcPriority.LOW)
                .requestTag("app=spream")
                .directedReads(readOnlyReplicas)
                .prefetchChunks(1)
                .build());

        assertThat(request.getRequestOptions().getPriority()).isEqualTo(Priority.PRIORITY_LOW);
        assertThat(request.getRequestOptions().getRequestTag()).isEqualTo("app=spream");
        assertThat(request.getDirectedReadOptions()).isEqualTo(readOnlyReplicas);
    }

    @Test
    void directed_reads_of_a_connection_go_with_the_queries_of_its_sources() throws Exception {
        try (SpannerConnection connection = SpannerConnection.builder(
                        DatabaseName.parse("projects/p/instances/i/databases/d"))
                .emulatorHost(spanner.emulatorHost())
                .directedReads("exclude:read-write")
                .open()) {
            ExecuteSqlRequest request = read(connection.source("Orders").build());

            assertThat(request.getDirectedReadOptions().getExcludeReplicas().getReplicaSelectionsList())
                    .containsExactly(ReplicaSelection.newBuilder()
                            .setType(ReplicaSelection.Type.READ_WRITE)
                            .build());
        }
    }

    @Test
    void role_priority_and_tag_of_a_configuration_reach_the_server() throws Exception {
        ExecuteSqlRequest request = readConfigured(Map.of(
                "source.spanner.role", "auditor",
                "source.spanner.priority", "medium",
                "source.spanner.request-tag", "app=spream",
                "source.spanner.directed-reads", "include:us-east1/read-only"));

        assertThat(request.getDirectedReadOptions().getIncludeReplicas().getReplicaSelectionsList())
                .containsExactly(ReplicaSelection.newBuilder()
                        .setLocation("us-east1")
                        .setType(ReplicaSelection.Type.READ_ONLY)
                        .build());
        assertThat(request.getRequestOptions().getPriority()).isEqualTo(Priority.PRIORITY_MEDIUM);
        assertThat(request.getRequestOptions().getRequestTag()).isEqualTo("app=spream");
        assertThat(roleOf(request)).isEqualTo("auditor");
    }

    @Test
    void a_read_function_is_queried_instead_of_the_whole_streams() throws Exception {
        String function = "read_proto_bytes_Orders_europe";
        spanner.answer(
                ChangeStreamStatement.ofFunction(Dialect.POSTGRESQL, function, QUERY),
                WireRows.resultSet(Dialect.POSTGRESQL, List.of(DocumentationRecords.record("initial_first"))));

        String query = "SELECT * FROM \"spanner\".\"read_proto_bytes_Orders_europe\"($1, $2, $3, $4, null)";
        assertThat(read(SpannerChangeStreamSource.builder(spanner.client(), "Orders")
                                .readFunction(function)
                                .build())
                        .getSql())
                .isEqualTo(query);
        assertThat(readConfigured(Map.of("source.spanner.read-function", function))
                        .getSql())
                .isEqualTo(query);
        assertThat(ChangeStreamStatement.ofFunction(Dialect.GOOGLE_STANDARD_SQL, "READ_Orders_europe", QUERY)
                        .getSql())
                .startsWith("SELECT ChangeRecord FROM `READ_Orders_europe`(");
    }

    @Test
    void a_configuration_without_them_reads_with_high_priority_and_neither_role_nor_tag() throws Exception {
        ExecuteSqlRequest request = readConfigured(Map.of());

        assertThat(request.getRequestOptions().getPriority()).isEqualTo(Priority.PRIORITY_HIGH);
        assertThat(request.getRequestOptions().getRequestTag()).isEmpty();
        assertThat(roleOf(request)).isEmpty();
    }

    private ExecuteSqlRequest readConfigured(Map<String, String> more) throws InterruptedException {
        Map<String, String> settings = new HashMap<>(more);
        settings.put("source.spanner.database", "projects/p/instances/i/databases/d");
        settings.put("source.spanner.stream", "Orders");
        settings.put("source.spanner.emulator-host", spanner.emulatorHost());
        try (PluginRegistry plugins = PluginRegistry.discover()) {
            Plugin<ChangeStreamSource> plugin =
                    plugins.find(ChangeStreamSourceProvider.class, "spanner").orElseThrow();
            ResolvedConfig config = ResolvedConfig.of(
                    SpreamConfig.of(settings), List.of(new ConfigSection("source.spanner", plugin.keys(), true)));
            assertThat(config.problems()).isEmpty();
            try (OpenPlugin<ChangeStreamSource> open =
                    plugin.open(config.section("source.spanner"), InstantSource.system(), "Orders")) {
                return read(open.product());
            }
        }
    }

    /** The role of the session that the query ran in: the last that was made. */
    private String roleOf(ExecuteSqlRequest request) {
        assertThat(request.getSession()).isNotEmpty();
        return spanner.sessions().getLast().getSession().getCreatorRole();
    }

    @Test
    void the_arguments_are_bound_in_their_order() throws Exception {
        Struct values =
                read(SpannerChangeStreamSource.open(spanner.client(), "Orders")).getParams();

        assertThat(values.getFieldsOrThrow("p1").getStringValue()).isEqualTo("2022-05-01T09:00:00Z");
        assertThat(values.getFieldsOrThrow("p2").getStringValue()).isEqualTo("2022-05-01T10:00:00.000000001Z");
        assertThat(values.getFieldsOrThrow("p3").hasNullValue()).isTrue();
        assertThat(values.getFieldsOrThrow("p4").getStringValue()).isEqualTo("1500");
    }

    private ExecuteSqlRequest read(ChangeStreamSource source) throws InterruptedException {
        try (source;
                ChangeStreamCursor cursor = source.query(QUERY)) {
            assertThat(cursor.next()).isPresent();
            assertThat(cursor.next()).isEmpty();
        }
        return spanner.queries().getLast();
    }

    @Test
    void as_many_queries_may_be_open_as_the_client_is_said_to_carry() {
        assertThat(SpannerChangeStreamSource.open(spanner.client(), "Orders").maxOpenQueries())
                .isEqualTo(400);
        assertThat(SpannerChangeStreamSource.builder(spanner.client(), "Orders")
                        .maxOpenQueries(50)
                        .build()
                        .maxOpenQueries())
                .isEqualTo(50);
    }

    @Test
    void options_out_of_range_are_refused() {
        var builder = SpannerChangeStreamSource.builder(spanner.client(), "Orders");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.prefetchChunks(0))
                .withMessage("prefetchChunks must be at least 1, was 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.prefetchBytes(0))
                .withMessage("prefetchBytes must be at least 1, was 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.maxOpenQueries(0))
                .withMessage("maxOpenQueries must be at least 1, was 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.connectTimeout(Duration.ZERO))
                .withMessage("connectTimeout must be positive, was 0 s");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SpannerChangeStreamSource.open(spanner.client(), "no stream"));
    }
}
