package dev.spream.differential;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.ErrorCode;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.Spanner;
import com.google.cloud.spanner.SpannerException;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.TimestampBound;
import dev.spream.servers.SpannerServer;
import dev.spream.servers.SpannerServers;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests of the errors of both emulators: bad change stream queries and bad statements about change streams. Codes are
 * compared with the expected ones here, always on spream's emulator; codes and messages with each other if Google's is
 * found.
 */
@Timeout(120)
class ErrorsDifferentialIT {
    // Ahead of the test's run, so that no server takes it for past; Spanner allows ten minutes.
    private static final Duration SOON = Duration.ofMinutes(5);

    // Google's emulator waits until the start before it looks at the token.
    private static final String SHORTLY = "(in a second)";

    /** Errors with different texts but the same code on each server. */
    private static final Set<String> OTHER_WORDS = Set.of(
            "text as heartbeat",
            "CREATE CHANGE STREAM other FOR items OPTIONS (nope = true)",
            // The emulator lags behind the service, which keeps 30 days and has a fourth type.
            "CREATE CHANGE STREAM other FOR items OPTIONS (retention_period = '1h')",
            "CREATE CHANGE STREAM other FOR items OPTIONS (retention_period = '31d')",
            "CREATE CHANGE STREAM other FOR items OPTIONS (value_capture_type = 'NOPE')");

    private static final Map<Dialect, List<Target>> TARGETS = new EnumMap<>(Dialect.class);

    /** A database on one of the servers. */
    private record Target(String server, Spanner client, DatabaseId database) {}

    @BeforeAll
    static void start() {
        List<SpannerServer> servers = new ArrayList<>();
        servers.add(QuietEmulators.server(QuietEmulators.alone()));
        SpannerServers.google().ifPresent(servers::add);
        for (Dialect dialect : Dialect.values()) {
            TARGETS.put(
                    dialect,
                    servers.stream()
                            .map(server -> new Target(
                                    server.name(), server.client(), server.createDatabase(dialect, schema(dialect))))
                            .toList());
        }
    }

    @AfterAll
    static void stop() {
        for (Target target : TARGETS.values().stream().flatMap(List::stream).toList()) {
            TableChanges.drop(target.client(), target.database());
            target.client().close();
        }
    }

    private static List<Target> targets(Dialect dialect) {
        return Optional.ofNullable(TARGETS.get(dialect)).orElseThrow();
    }

    private static List<String> schema(Dialect dialect) {
        return dialect == Dialect.POSTGRESQL
                ? List.of(
                        "CREATE TABLE items (id bigint PRIMARY KEY, name varchar)",
                        "CREATE CHANGE STREAM changes FOR ALL")
                : List.of(
                        "CREATE TABLE items (id INT64 NOT NULL, name STRING(MAX)) PRIMARY KEY (id)",
                        "CREATE CHANGE STREAM changes FOR ALL");
    }

    /** A query: arguments as SQL. */
    record BadQuery(String what, ErrorCode code, String start, String end, String token, String heartbeat) {
        String sql(Dialect dialect) {
            String arguments = String.join(", ", start, end, token, heartbeat)
                    .replace(SHORTLY, "'" + Instant.now().plusSeconds(1) + "'");
            return dialect == Dialect.POSTGRESQL
                    ? "SELECT * FROM spanner.read_json_changes(" + arguments + ", NULL)"
                    : "SELECT ChangeRecord FROM READ_changes(" + arguments + ")";
        }

        @Override
        public String toString() {
            return what;
        }
    }

    private static String in(Duration duration) {
        return "'" + Instant.now().plus(duration).truncatedTo(ChronoUnit.SECONDS) + "'";
    }

    static Stream<Arguments> badQueries() {
        return Stream.of(
                        new BadQuery("null start", ErrorCode.INVALID_ARGUMENT, "NULL", "NULL", "NULL", "1000"),
                        new BadQuery(
                                "old start", ErrorCode.OUT_OF_RANGE, "'2020-01-01T00:00:00Z'", "NULL", "NULL", "1000"),
                        new BadQuery(
                                "start before the stream",
                                ErrorCode.OUT_OF_RANGE,
                                in(Duration.ofHours(-1)),
                                "NULL",
                                "NULL",
                                "1000"),
                        new BadQuery(
                                "far start", ErrorCode.OUT_OF_RANGE, in(Duration.ofHours(1)), "NULL", "NULL", "1000"),
                        new BadQuery(
                                "end before start",
                                ErrorCode.INVALID_ARGUMENT,
                                in(SOON),
                                in(Duration.ZERO),
                                "NULL",
                                "1000"),
                        new BadQuery(
                                "foreign token", ErrorCode.INVALID_ARGUMENT, SHORTLY, "NULL", "'nonsense'", "1000"),
                        new BadQuery("null heartbeat", ErrorCode.INVALID_ARGUMENT, in(SOON), "NULL", "NULL", "NULL"),
                        new BadQuery("short heartbeat", ErrorCode.OUT_OF_RANGE, in(SOON), "NULL", "NULL", "99"),
                        new BadQuery("long heartbeat", ErrorCode.OUT_OF_RANGE, in(SOON), "NULL", "NULL", "300001"),
                        new BadQuery(
                                "text as heartbeat", ErrorCode.INVALID_ARGUMENT, in(SOON), "NULL", "NULL", "'often'"))
                .flatMap(query -> Stream.of(
                        Arguments.of(Dialect.GOOGLE_STANDARD_SQL, query), Arguments.of(Dialect.POSTGRESQL, query)));
    }

    @ParameterizedTest
    @MethodSource("badQueries")
    void both_emulators_refuse_a_bad_query_alike(Dialect dialect, BadQuery query) {
        List<SpannerException> refusals = refusals(dialect, query.sql(dialect), TimestampBound.strong());
        assertThat(refusals).extracting(SpannerException::getErrorCode).containsOnly(query.code());
        agree(query.what(), refusals);
    }

    private static void agree(String what, List<SpannerException> refusals) {
        assertThat(refusals)
                .extracting(SpannerException::getErrorCode)
                .containsOnly(refusals.getFirst().getErrorCode());
        if (!OTHER_WORDS.contains(what)) {
            assertThat(refusals.stream().map(ErrorsDifferentialIT::text).distinct())
                    .hasSize(1);
        }
    }

    static Stream<Arguments> badTexts() {
        String arguments = "(" + in(SOON) + ", NULL, NULL, 1000";
        return Stream.of(
                Arguments.of(Dialect.GOOGLE_STANDARD_SQL, "SELECT ChangeRecord FROM READ_nope" + arguments + ")"),
                Arguments.of(Dialect.GOOGLE_STANDARD_SQL, "SELECT 1 FROM READ_changes" + arguments + ")"),
                Arguments.of(Dialect.GOOGLE_STANDARD_SQL, "SELECT ChangeRecord FROM READ_changes(nope => 1)"),
                Arguments.of(Dialect.GOOGLE_STANDARD_SQL, "SELECT ChangeRecord FROM READ_changes()"),
                Arguments.of(
                        Dialect.GOOGLE_STANDARD_SQL, "SELECT ChangeRecord FROM READ_changes" + arguments + ", ['a'])"),
                Arguments.of(
                        Dialect.GOOGLE_STANDARD_SQL, "SELECT ChangeRecord FROM READ_changes" + arguments + ") LIMIT 1"),
                Arguments.of(Dialect.POSTGRESQL, "SELECT * FROM spanner.read_json_nope" + arguments + ", NULL)"));
    }

    @ParameterizedTest
    @MethodSource("badTexts")
    void both_emulators_refuse_a_text_that_is_no_change_stream_query_with_one_code(Dialect dialect, String sql) {
        List<SpannerException> refusals = refusals(dialect, sql, TimestampBound.strong());
        assertThat(refusals)
                .extracting(SpannerException::getErrorCode)
                .containsOnly(refusals.getFirst().getErrorCode());
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void both_emulators_refuse_a_stale_change_stream_query(Dialect dialect) {
        BadQuery good = new BadQuery("good", ErrorCode.UNKNOWN, in(SOON), "NULL", "NULL", "1000");
        assertThat(refusals(dialect, good.sql(dialect), TimestampBound.ofExactStaleness(1, TimeUnit.MILLISECONDS)))
                .allSatisfy(refusal -> assertThat(refusal)
                        .hasMessageContaining("must be strong reads executed via single use transactions")
                        .extracting(SpannerException::getErrorCode)
                        .isEqualTo(ErrorCode.INVALID_ARGUMENT));
    }

    private static List<SpannerException> refusals(Dialect dialect, String sql, TimestampBound bound) {
        return targets(dialect).stream()
                .map(target -> refusal(target, sql, bound))
                .toList();
    }

    private static SpannerException refusal(Target target, String sql, TimestampBound bound) {
        DatabaseClient database = target.client().getDatabaseClient(target.database());
        try (ResultSet rows = database.singleUse(bound).executeQuery(Statement.of(sql))) {
            rows.next();
            throw new AssertionError(target.server() + " takes " + sql);
        } catch (SpannerException e) {
            return e;
        }
    }

    static Stream<String> badStatements() {
        return Stream.of(
                "CREATE CHANGE STREAM changes FOR ALL",
                "CREATE CHANGE STREAM other FOR nope",
                "CREATE CHANGE STREAM other FOR items(nope)",
                "CREATE CHANGE STREAM other FOR items(id)",
                "CREATE CHANGE STREAM other FOR items, items",
                "CREATE CHANGE STREAM other FOR items(name, name)",
                "CREATE CHANGE STREAM other FOR items OPTIONS (nope = true)",
                "CREATE CHANGE STREAM other FOR items OPTIONS (retention_period = '1h')",
                "CREATE CHANGE STREAM other FOR items OPTIONS (retention_period = '31d')",
                "CREATE CHANGE STREAM other FOR items OPTIONS (retention_period = '1x')",
                "CREATE CHANGE STREAM other FOR items OPTIONS (value_capture_type = 'NOPE')",
                "ALTER CHANGE STREAM nope SET FOR ALL",
                "ALTER CHANGE STREAM changes SET FOR nope",
                "DROP CHANGE STREAM nope");
    }

    @ParameterizedTest
    @MethodSource("badStatements")
    void both_emulators_refuse_a_bad_statement_alike(String ddl) {
        agree(ddl, statementRefusals(Dialect.GOOGLE_STANDARD_SQL, ddl));
    }

    @ParameterizedTest
    @MethodSource("badStatements")
    void both_emulators_refuse_a_bad_statement_alike_in_postgresql(String ddl) {
        agree(ddl, statementRefusals(Dialect.POSTGRESQL, ddl.replace("OPTIONS", "WITH")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE TABLE other (id INT64) PRIMARY KEY (id), ROW DELETION POLICY (OLDER_THAN(due, INTERVAL 1 DAY))",
                "CREATE TABLE other (id INT64) PRIMARY KEY (id), ROW DELETION POLICY (OLDER_THAN(id, INTERVAL 1 DAY))",
                "ALTER TABLE items ADD ROW DELETION POLICY (OLDER_THAN(name, INTERVAL 1 DAY))",
                "ALTER TABLE items REPLACE ROW DELETION POLICY (OLDER_THAN(name, INTERVAL 1 DAY))",
                "ALTER TABLE items DROP ROW DELETION POLICY"
            })
    void both_emulators_refuse_a_bad_row_deletion_policy_alike(String ddl) {
        List<SpannerException> refusals = statementRefusals(Dialect.GOOGLE_STANDARD_SQL, ddl);
        assertThat(refusals).extracting(SpannerException::getErrorCode).containsOnly(ErrorCode.INVALID_ARGUMENT);
        agree(ddl, refusals);
    }

    private static List<SpannerException> statementRefusals(Dialect dialect, String ddl) {
        return targets(dialect).stream()
                .map(target -> statementRefusal(target, ddl))
                .toList();
    }

    private static SpannerException statementRefusal(Target target, String ddl) {
        try {
            TableChanges.alter(target.client(), target.database(), List.of(ddl));
        } catch (SpannerException e) {
            return e;
        }
        throw new AssertionError(target.server() + " takes " + ddl);
    }

    /** Code and message, without times and without what the client adds. */
    private static String text(SpannerException e) {
        return (e.getErrorCode() + " " + e.getMessage())
                .replaceAll("\\d{4}-\\d\\d-\\d\\dT[\\d:.]+(Z|[+-]\\d\\d:\\d\\d)", "TIME")
                .lines()
                .findFirst()
                .orElse("");
    }
}
