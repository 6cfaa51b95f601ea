package dev.spream.emulator.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.testkit.engine.EventConditions.event;
import static org.junit.platform.testkit.engine.EventConditions.finishedWithFailure;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.message;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.DrivenClock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.testkit.engine.EngineTestKit;

@Timeout(60)
final class SpannerEmulatorExtensionIT {
    private static final DrivenClock CLOCK = DrivenClock.startingAt(Instant.parse("2026-01-01T00:00:00Z"));

    @RegisterExtension
    static final SpannerEmulatorExtension SPANNER = SpannerEmulatorExtension.builder()
            .dialect(DatabaseDialect.POSTGRESQL)
            .clock(CLOCK)
            .ddl("CREATE TABLE items (id bigint PRIMARY KEY)", "CREATE CHANGE STREAM items_stream FOR ALL")
            .build();

    private static final Set<String> DATABASES = ConcurrentHashMap.newKeySet();
    private static final Set<SpannerEmulator> SERVERS = ConcurrentHashMap.newKeySet();

    private Optional<TestDatabase> before = Optional.empty();

    @BeforeEach
    void keep(TestDatabase database) {
        before = Optional.of(database);
    }

    @RepeatedTest(2)
    void a_test_has_a_database_of_its_own_on_one_server(TestDatabase database) {
        assertThat(before).containsSame(database);
        assertThat(DATABASES.add(database.name())).isTrue();
        SERVERS.add(database.emulator());
        assertThat(SERVERS).hasSize(1);
    }

    @Nested
    final class Inner {
        @Test
        void a_nested_class_shares_the_server(TestDatabase database) {
            SERVERS.add(database.emulator());
            assertThat(SERVERS).hasSize(1);
        }
    }

    @Test
    void each_change_of_partitions_is_one_call(TestDatabase database) {
        TestStream stream = database.stream("items_stream");
        int partitions = stream.partitions().live().size();
        stream.split();
        assertThat(stream.partitions().live()).hasSize(partitions + 1);
        stream.move();
        assertThat(stream.partitions().counts().moves()).isEqualTo(partitions + 1);
        for (int i = 0; i < partitions; i++) {
            stream.merge();
        }
        assertThat(stream.partitions().live()).hasSize(1);
        assertThatThrownBy(stream::merge).hasMessageContaining("split it first");
    }

    @Test
    void a_reader_that_does_not_come_on_is_reported_with_where_it_is(TestDatabase database) {
        Instant reached = Instant.parse("2026-01-01T00:00:00Z");
        assertThatThrownBy(() -> database.awaitDelivered(() -> Optional.of(reached), Duration.ofMillis(50)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("settled every change before 2026-01-01T00:00:00Z")
                .hasMessageContaining("0 queries");
    }

    @Test
    void the_clock_is_advanced_by_a_call(TestDatabase database) {
        Instant now = CLOCK.instant();
        database.advance(Duration.ofHours(1));
        assertThat(CLOCK.instant()).isAfterOrEqualTo(now.plus(Duration.ofHours(1)));
    }

    /** A class that takes the database of a test before all of them. */
    static final class Misused {
        @RegisterExtension
        static final SpannerEmulatorExtension SPANNER =
                SpannerEmulatorExtension.builder().build();

        @BeforeAll
        static void take(TestDatabase database) {}

        @Test
        void a_test_runs() {}
    }

    @Test
    void a_database_is_not_given_to_all_tests() {
        EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(Misused.class))
                .execute()
                .containerEvents()
                .assertThatEvents()
                .haveExactly(
                        1,
                        event(finishedWithFailure(
                                message(text -> text.contains("a TestDatabase belongs to one test")))));
    }

    @Test
    void a_file_that_is_not_there_is_named() {
        assertThatThrownBy(() -> SpannerEmulatorExtension.builder().ddlResource("missing.sql"))
                .hasMessageContaining("missing.sql");
    }
}
