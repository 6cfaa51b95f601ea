package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.record.JsonObject;
import dev.spream.projection.BatchCheckpoint;
import dev.spream.projection.Fence;
import dev.spream.projection.ParkDecision;
import dev.spream.projection.ParkReason;
import dev.spream.projection.ProjectionCode;
import dev.spream.projection.ProjectionOwner;
import dev.spream.projection.ProjectionStatus;
import dev.spream.projection.SegmentLease;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventMetadata;
import dev.spream.projection.event.FeedItem;
import dev.spream.servers.PostgresDatabase;
import dev.spream.storage.jdbc.projection.JdbcProjectionStore;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Projections as an operator has to do with them. */
@Timeout(120)
final class ProjectionIT {
    private static final ProjectionOwner ANN = ProjectionOwner.of("ann");
    private static final Duration LEASE = Duration.ofMinutes(2);

    private static final PostgresDatabase POSTGRES = PostgresDatabase.create();
    private static JdbcProjectionStore store;

    private final StringWriter out = new StringWriter();

    @BeforeAll
    static void start() {
        store = JdbcProjectionStore.create(POSTGRES.source());
    }

    @AfterAll
    static void stop() {
        store.close();
    }

    /** Creates a projection with two parked aggregates, one of which waits for an operator, and with undecodable input. */
    @BeforeEach
    void aProjectionWithTroubles() throws Exception {
        execute(
                "TRUNCATE spream.projection_states, spream.projection_versions, spream.projection_segments, spream.projection_owners,"
                        + " spream.projection_keys, spream.projection_parked_keys, spream.projection_parked_events,"
                        + " spream.projection_dead_letters, spream.projection_audit CASCADE");
        store.register("entries", 4);
        store.register("search", 0);
        SegmentLease lease =
                store.holdSegments("entries", ANN, Set.of(), LEASE).held().getFirst();
        BatchCheckpoint progress = new BatchCheckpoint(
                Map.of("word-1", 2L),
                Map.of(
                        "evil\u001b[31m", new ParkDecision(ParkReason.POISON, 1, "no such column", Optional.empty()),
                        "late", new ParkDecision(ParkReason.GAP, 0, "version 2 is missing", Optional.of(LEASE))),
                List.of(event("evil\u001b[31m", 5), event("evil\u001b[31m", 6), event("late", 3)),
                OptionalLong.of(1_717),
                Optional.of(event("word-1", 2)));
        assertThat(store.apply(
                        new Fence.Segment("entries", ANN, lease.segment(), lease.epoch()),
                        Set.of("word-1", "evil\u001b[31m", "late"),
                        (connection, states) -> progress))
                .isTrue();
        store.deadLetter(
                "entries",
                new FeedItem.Undecodable(
                        1, "message 7", ByteBuffer.wrap(new byte[] {-1}), Map.of(), "no JSON", Instant.EPOCH));
        store.report("entries", 3, Optional.of("no such column"));
    }

    @Test
    void projections_are_listed_with_what_an_operator_has_to_know() {
        assertThat(run(0, "list")).containsExactly("projections: 2");
        assertThat(out.toString().lines())
                .hasSize(3)
                .first()
                .asString()
                .startsWith("PROJECTION  STATUS   POSITION  PARKED");
        assertThat(out.toString())
                .containsPattern("entries +running +[0-9,]+ +2 \\(3 events\\) +3 +word-1:2 +\\S+")
                .containsPattern("search +running +- +0 +0 +- +-")
                .doesNotContain("secret");

        run(0, "list", "--json");
        List<JsonObject> all = out.toString().lines().map(JsonObject::of).toList();
        assertThat(all).hasSize(2).first().satisfies(entries -> {
            assertThat(entries.string("projection_name")).contains("entries");
            assertThat(entries.int64("parked_keys")).hasValue(2);
            assertThat(entries.int64("error_count")).hasValue(3);
            assertThat(entries.string("last_processed_event_id")).contains("word-1:2");
        });
    }

    @Test
    void a_projection_without_a_running_process_is_listed_as_unowned() {
        store.leave("entries", ANN);
        run(0, "list");
        assertThat(out.toString()).containsPattern("entries +running \\(4 of 4 segments unowned\\) +");
        run(0, "show", "entries", "--json");
        assertThat(JsonObject.of(out.toString()).int64("segments_unheld")).hasValue(4);
        run(0, "pause", "entries", "--reason", "so it stands still");
        run(0, "list");
        assertThat(out.toString()).containsPattern("entries +paused +[0-9,]+ ");
    }

    @Test
    void a_projection_is_split_into_another_number_of_segments() {
        assertThat(run(0, "segments", "entries", "8", "--reason", "more processes"))
                .containsExactly("segments entries: it is split into 8; set projections.segments = 8 where it runs");
        run(0, "list");
        assertThat(out.toString()).contains("(8 of 8 segments unowned)");
        run(0, "audit", "entries");
        assertThat(out.toString()).containsPattern("segments +4 -> 8 +more processes");
        assertThat(run(1, "segments", "entries", "8", "--reason", "again"))
                .containsExactly("entries already has 8 segments; nothing was changed");
        assertThat(run(1, "segments", "search", "2", "--reason", "no"))
                .singleElement()
                .asString()
                .contains("search: ", "no positions");
        assertThat(run(2, "segments", "entries", "3", "--reason", "no").getFirst())
                .contains("must be a power of 2");
    }

    @Test
    void a_projection_is_shown_with_its_owners_and_its_parked_aggregates() {
        assertThat(run(0, "show", "entries")).isEmpty();
        assertThat(out.toString())
                .contains("parked        2 (3 events)", "dead letters  1")
                .containsPattern("last error +\\S+ ago: no such column")
                .containsPattern("0 +1,717 +1 +\\S+ \\S+ +ann/" + ANN.id())
                .containsPattern("evil\\\\u001b\\[31m +poison +5 +2 +1 .* waits for an operator +no such column")
                .containsPattern("late +gap +3 +1 +0 .* in \\S+ \\S* *version 2 is missing")
                .doesNotContain("secret", "\u001b");

        run(0, "show", "entries", "--limit", "1");
        assertThat(out.toString()).contains("1 more: raise --limit");

        run(0, "show", "entries", "--json");
        JsonObject entries = JsonObject.of(out.toString());
        assertThat(entries.objects("segments"))
                .hasSize(4)
                .allSatisfy(segment -> assertThat(segment.string("owner")).contains(ANN.toString()));
        assertThat(entries.objects("parked"))
                .extracting(key -> key.string("reason").orElseThrow())
                .containsExactlyInAnyOrder("poison", "gap");
        assertThat(out.toString()).doesNotContain("secret");

        run(0, "show", "search");
        assertThat(out.toString()).contains("none: the source has no positions").doesNotContain("SEGMENT");
    }

    @Test
    void a_long_last_error_is_shown_by_its_beginning_in_the_list_and_whole_as_json() {
        store.report("search", 1, Optional.of("x".repeat(200) + "end"));
        run(0, "list");
        assertThat(out.toString())
                .containsPattern("entries .* ago: no such column\n")
                .containsPattern("search .* x{50,}\u2026\n")
                .doesNotContain("end");
        run(0, "list", "--json");
        assertThat(JsonObject.of(out.toString().lines().toList().getLast()).string("last_error"))
                .contains("x".repeat(200) + "end");
        assertThat(JsonObject.of(out.toString().lines().toList().getLast()).string("last_error_at"))
                .hasValueSatisfying(at -> assertThat(Instant.parse(at)).isBeforeOrEqualTo(Instant.now()));
    }

    @Test
    void dead_letters_are_listed_with_what_they_hold_only_if_that_is_asked_for() {
        store.deadLetter(
                "entries",
                new FeedItem.Undecodable(
                        2,
                        "message 8",
                        ByteBuffer.wrap("no\u001b json".getBytes(StandardCharsets.UTF_8)),
                        Map.of("user", "bob"),
                        "no JSON",
                        Instant.EPOCH));
        run(0, "skip", "entries", "--key", "evil\u001b[31m", "--version", "5", "--reason", "unreadable");
        assertThat(run(0, "deadletters", "entries")).containsExactly("dead letters: 3, 3 shown");
        List<String> lines = out.toString().lines().toList();
        assertThat(lines).hasSize(4).noneMatch(line -> line.contains("secret") || line.contains("bob"));
        assertThat(lines.get(1))
                .containsPattern(
                        "skipped +evil\\\\u001b\\[31m +5 +EntryChanged +evil\\\\u001b\\[31m:5 +no such column");
        assertThat(lines.get(2)).containsPattern("undecodable +- +- +- +message 8 +no JSON");
        assertThat(lines.get(3)).contains("message 7");

        run(0, "deadletters", "entries", "--payload");
        assertThat(out.toString())
                .contains("    {\"secret\":1}\n", "    {\"user\":\"bob\"} no\\u001b json\n", "    {} base64 /w==\n")
                .doesNotContain("\u001b");

        run(0, "deadletters", "entries", "--json");
        assertThat(out.toString()).doesNotContain("secret", "bob", "bytes");
        assertThat(run(0, "deadletters", "entries", "--json", "--payload", "--limit", "2"))
                .containsExactly("dead letters: 3, 2 shown");
        List<JsonObject> letters = out.toString().lines().map(JsonObject::of).toList();
        assertThat(letters.getFirst().string("event_data")).contains("{\"secret\":1}");
        assertThat(letters.getFirst().int64("event_version")).hasValue(5);
        assertThat(letters.getLast().string("bytes_base64")).contains("bm8bIGpzb24=");
        assertThat(letters.getLast().object("attributes").orElseThrow().string("user"))
                .contains("bob");

        assertThat(run(0, "deadletters", "search")).containsExactly("dead letters: 0, 0 shown");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void the_audit_is_listed_the_last_change_first() {
        run(0, "pause", "entries", "--reason", "asked by\u001b bob");
        run(0, "resume", "entries", "--reason", "fixed");
        assertThat(run(0, "audit", "entries")).containsExactly("changes: 2 shown");
        assertThat(out.toString().lines().toList())
                .satisfiesExactly(
                        titles -> assertThat(titles).startsWith("AT"),
                        last -> assertThat(last).containsPattern("ann +resume +PAUSED -> RUNNING +fixed"),
                        first -> assertThat(first)
                                .containsPattern("ann +pause +RUNNING -> PAUSED +asked by\\\\u001b bob"));
        run(0, "audit", "entries", "--json", "--limit", "1");
        JsonObject last = JsonObject.of(out.toString());
        assertThat(last.string("action")).contains("resume");
        assertThat(last.string("reason")).contains("fixed");
        assertThat(last.string("actor")).contains("ann");
    }

    @Test
    void a_projection_that_is_not_there_is_named_with_those_that_are() throws Exception {
        for (List<String> command : List.of(
                List.of("show", "entires"),
                List.of("deadletters", "entires"),
                List.of("audit", "entires"),
                List.of("pause", "entires", "--reason", "x"),
                List.of("resume", "entires", "--reason", "x"),
                List.of("retry", "entires", "--key", "late", "--reason", "x"),
                List.of("skip", "entires", "--key", "late", "--version", "3", "--reason", "x"))) {
            assertThat(run(1, command.toArray(String[]::new)))
                    .last()
                    .asString()
                    .endsWith("there is no projection entires; there are: entries, search");
        }
        assertThat(audited()).isEmpty();
    }

    @Test
    void an_operator_pauses_and_resumes_a_projection() throws Exception {
        assertThat(run(0, "pause", "entries", "--reason", "asked by bob"))
                .singleElement()
                .asString()
                .startsWith("pause entries: paused in every process");
        assertThat(store.state("entries").orElseThrow().status()).isEqualTo(ProjectionStatus.PAUSED);
        assertThat(run(1, "pause", "entries", "--reason", "again"))
                .containsExactly("entries is paused; nothing was changed");
        assertThat(run(0, "resume", "entries", "--why", "fixed"))
                .singleElement()
                .asString()
                .startsWith("resume entries: it continues");
        assertThat(run(1, "resume", "entries", "--reason", "again"))
                .containsExactly("entries is running; only a paused or failed projection can be resumed, and nothing"
                        + " was changed");
        assertThat(audited()).contains("ann: asked by bob", "ann: fixed");
    }

    @Test
    void a_parked_aggregate_is_retried_by_command() throws Exception {
        assertThat(run(0, "retry", "entries", "--key", "late", "--reason", "it came"))
                .containsExactly("retry entries: 1 to be retried");
        assertThat(run(0, "retry", "entries", "--all", "--yes", "--reason", "fixed"))
                .containsExactly("retry entries: 2 to be retried");
        assertThat(run(1, "retry", "entries", "--key", "word-1", "--reason", "x"))
                .containsExactly("skipped word-1: it is not parked");
        run(0, "pause", "entries", "--reason", "x");
        assertThat(run(0, "retry", "entries", "--key", "late", "--reason", "x"))
                .containsExactly("retry entries: 1 to be retried, once it is resumed: it is paused");
        run(0, "show", "entries");
        assertThat(out.toString()).containsPattern("due .* due +no such column");
    }

    @Test
    void an_event_behind_one_that_is_missing_is_not_skipped() throws Exception {
        long behind = Long.parseLong(
                column("SELECT min(event_version) FROM spream.projection_parked_events" + " WHERE key = 'late'")
                        .getFirst());
        assertThat(run(1, "skip", "entries", "--key", "late", "--version", Long.toString(behind), "--reason", "x"))
                .singleElement()
                .asString()
                .startsWith("late: version ")
                .contains("has not arrived", "nothing was changed");
        run(0, "show", "entries");
        assertThat(out.toString()).contains("dead letters  1");
    }

    @Test
    void one_event_that_was_looked_at_is_skipped() throws Exception {
        assertThat(run(1, "skip", "entries", "--key", "evil\u001b[31m", "--version", "6", "--reason", "x"))
                .containsExactly("evil\\u001b[31m: its first event is version 5, not 6; nothing was changed");
        assertThat(run(1, "skip", "entries", "--key", "word-1", "--version", "3", "--reason", "x"))
                .containsExactly("word-1: it is not parked; nothing was changed");
        assertThat(run(0, "skip", "entries", "--key", "evil\u001b[31m", "--version", "5", "--reason", "unreadable"))
                .containsExactly("skip entries: version 5 of evil\\u001b[31m is dead-lettered");
        run(0, "show", "entries");
        assertThat(out.toString()).contains("dead letters  2").containsPattern("evil\\S+ +\\w+ +6 +1 ");
        assertThat(audited()).contains("ann: unreadable");
    }

    @Test
    void an_aggregate_that_an_operator_retries_is_shown_as_due() {
        run(0, "show", "entries");
        assertThat(out.toString()).containsPattern("evil\\S+ +poison +5 ");
        run(0, "retry", "entries", "--key", "evil\u001b[31m", "--reason", "fixed");
        run(0, "show", "entries");
        assertThat(out.toString())
                .containsPattern("evil\\S+ +due +5 +2 .* due +no such column")
                .doesNotContain("poison", "waits for an operator");
    }

    @ParameterizedTest
    @ValueSource(strings = {"pause", "resume", "retry", "skip", "rebuild", "cutover", "rollback", "drop"})
    void the_help_shows_that_a_reason_is_required(String command) {
        StringWriter help = new StringWriter();
        CommandLine main = Main.commandLine();
        main.setOut(new PrintWriter(help, true));
        assertThat(main.execute("projection", command, "--help")).isZero();
        assertThat(help.toString())
                .containsPattern("(?s)Usage:[^:]*[^\\[]--reason=TEXT.*")
                .doesNotContain("[--reason", "--why");
    }

    @Test
    void an_ambiguous_command_is_refused_and_changes_nothing() throws Exception {
        assertUsage("Missing required option: '--reason=TEXT'", "pause", "entries");
        assertUsage("--reason TEXT", "resume", "entries", "--reason", " ");
        assertUsage("add --key KEY or --all", "retry", "entries", "--reason", "x");
        assertUsage("add --key KEY or --all", "retry", "entries", "--key", "late", "--all", "--yes", "--reason", "x");
        assertUsage("add --yes", "retry", "entries", "--all", "--reason", "x");
        assertUsage("--version", "skip", "entries", "--key", "late", "--reason", "x");
        assertUsage("--key", "skip", "entries", "--version", "3", "--reason", "x");
        assertUsage("--version is 0", "skip", "entries", "--key", "late", "--version", "0", "--reason", "x");
        assertUsage("--limit is -1", "show", "entries", "--limit", "-1");
        assertUsage("--limit is 0", "audit", "entries", "--limit", "0");
        assertUsage("--limit is 1001", "deadletters", "entries", "--limit", "1001");
        assertUsage("PROJECTION", "show");
        assertUsage("reason has 1001 characters", "pause", "entries", "--reason", "x".repeat(1_001));
        assertUsage("did you mean projections.batch?", "list", "--projections.bach=7");
        assertThat(audited()).isEmpty();
    }

    @Test
    void missing_tables_are_not_created_by_commands_that_read() throws Exception {
        assertThat(run(1, "list", "--schema", "elsewhere")).last().asString().contains("elsewhere");
        assertThat(column("SELECT schema_name FROM information_schema.schemata"))
                .doesNotContain("elsewhere");
        try {
            assertThat(run(0, "list", "--schema", "elsewhere", "--projections.jdbc.migrate=true"))
                    .last()
                    .isEqualTo("projections: 0");
            assertThat(run(1, "show", "entries", "--schema", "elsewhere"))
                    .last()
                    .asString()
                    .endsWith("there is no projection entries; none has run with these tables yet");
        } finally {
            execute("DROP SCHEMA IF EXISTS elsewhere CASCADE");
        }
    }

    @Test
    void another_version_is_begun_cut_over_to_rolled_back_from_and_dropped() throws Exception {
        execute("CREATE TABLE IF NOT EXISTS words (word text PRIMARY KEY)");
        ProjectionCode code = new ProjectionCode(1, Set.of("words"), false);
        store.register("words", 1, code);
        execute("""
                INSERT INTO spream.projection_dead_letters
                    (projection, kind, kept_at, reason, aggregate_id, event_version, event_id, event_data)
                VALUES ('words', 'SKIPPED', now(), 'no such word', 'dog', 1, 'dog:1', '{}')""");
        try {
            run(0, "rebuild", "words", "--try-skipped", "--reason", "counts dogs");
            run(0, "show", "words");
            assertThat(out.toString()).contains("candidate, 100.0 %, 0 events, caught up");
            run(0, "drop", "words@2", "--yes", "--reason", "x");
            execute("UPDATE spream.projection_versions SET latest = 1 WHERE projection = 'words'");
            assertThat(run(0, "rebuild", "words", "--reason", "counts items"))
                    .singleElement()
                    .asString()
                    .startsWith("rebuild words: version 2 is built by the processes that run code of revision 1;");
            assertThat(run(1, "rebuild", "words", "--reason", "again"))
                    .singleElement()
                    .asString()
                    .startsWith("words: version 2 of projection 'words' is being built");
            assertThat(run(1, "cutover", "words", "--yes", "--reason", "too early"))
                    .singleElement()
                    .asString()
                    .contains("it has not begun");
            run(0, "pause", "words@2", "--reason", "not now");
            assertThat(run(1, "cutover", "words", "--yes", "--reason", "too early"))
                    .singleElement()
                    .asString()
                    .contains("it is PAUSED: resume 'words@2'");
            run(0, "resume", "words@2", "--reason", "now");
            store.prepare(store.versions("words").getLast(), code, transaction -> {
                try (Statement statement = transaction.createStatement()) {
                    statement.execute("CREATE TABLE words (word text PRIMARY KEY)");
                }
            });
            run(0, "show", "words");
            assertThat(out.toString())
                    .containsPattern("version +1 of revision 1, live")
                    .containsPattern(
                            "version +2 of revision 1, candidate, 100.0 %, 0 events, 1 events skipped, caught up");
            run(0, "list");
            assertThat(out.toString()).containsPattern("words@2 +rebuilding .* 2 candidate 100.0 %");
            execute(
                    "INSERT INTO spream.projection_keys VALUES ('words', 'cat', 2, false), ('words@2', 'cat', 1, true)");
            execute("""
                    INSERT INTO spream.projection_parked_keys VALUES
                        ('words@2', 'cat', 'cat', 0, 'POISON', 1, 'no such word', now(), NULL, 1)""");
            run(0, "list");
            assertThat(out.toString()).containsPattern("words@2 .* 2 candidate 100.0 %");
            run(0, "show", "words");
            assertThat(out.toString()).contains(", 1 aggregates parked, 1 events skipped, caught up");
            assertThat(run(1, "cutover", "words", "--yes", "--reason", "good"))
                    .singleElement()
                    .asString()
                    .contains(
                            "1 aggregates that are parked in version 2 and more advanced in version 1",
                            "--accept-parked");
            execute("UPDATE spream.projection_versions SET from_position = 3 WHERE state = 'words@2'");
            run(0, "list");
            assertThat(out.toString()).containsPattern("words@2 .* 2 candidate from position 3 100.0 %");
            run(0, "show", "words");
            assertThat(out.toString()).contains("of revision 1, candidate, from position 3, 100.0 %");
            assertThat(run(1, "cutover", "words", "--accept-parked", "--yes", "--reason", "good"))
                    .singleElement()
                    .asString()
                    .contains("begins 3 positions later than version 1", "--accept-partial");
            assertThat(run(
                            0,
                            "cutover",
                            "words",
                            "--compare",
                            "--accept-parked",
                            "--accept-partial",
                            "--yes",
                            "--reason",
                            "good"))
                    .last()
                    .asString()
                    .startsWith("cutover words: version 2 is live, version 1 is kept up to date")
                    .endsWith(
                            "1 aggregates are parked, and older than in the previous live version; its events begin 3 positions later");
            run(0, "list");
            assertThat(out.toString())
                    .containsPattern("words@1 +following .* 1 retired 100.0 %")
                    .containsPattern("words +running .* 2 live");
            run(0, "list", "--json");
            assertThat(out.toString()).contains("\"projection_name\":\"words\",\"status\":\"following\"");
            run(0, "show", "words@1", "--json");
            assertThat(out.toString()).contains("\"projection_name\":\"words\",\"status\":\"following\"");
            execute("INSERT INTO words VALUES ('new')");
            assertThat(run(1, "compare", "words")).containsExactly("compare words: versions 2 and 1 differ");
            assertThat(out.toString()).containsPattern("words +1 +0 +1");
            assertThat(run(1, "cutover", "words", "--yes", "--reason", "again"))
                    .singleElement()
                    .asString()
                    .contains("no version of words is being built", "rollback", "[1]");
            assertThat(run(0, "rollback", "words@1", "--yes", "--reason", "worse"))
                    .last()
                    .asString()
                    .startsWith("rollback words: version 1 is live, version 2 is kept up to date");
            assertThat(column("SELECT word FROM words")).isEmpty();
            assertThat(run(1, "rollback", "words", "--yes", "--reason", "worse"))
                    .singleElement()
                    .asString()
                    .contains("was already rolled back from version 2", "nothing was changed", "--version 2");
            run(0, "audit", "words");
            assertThat(out.toString())
                    .containsPattern("rollback +version 2 -> version 1")
                    .containsPattern("cutover +version 1 -> version 2")
                    .containsPattern("pause +REBUILDING -> PAUSED");
            assertThat(run(1, "drop", "words", "--version", "1", "--yes", "--reason", "x"))
                    .singleElement()
                    .asString()
                    .contains("is live");
            assertUsage(
                    "words@2 is version 2, but --version is 1",
                    "drop",
                    "words@2",
                    "--version",
                    "1",
                    "--yes",
                    "--reason",
                    "x");
            assertUsage("the version is missing", "drop", "words", "--yes", "--reason", "x");
            assertUsage("without a version", "rebuild", "words@2", "--reason", "x");
            assertUsage("at most 1h", "cutover", "words", "--timeout", "30d", "--yes", "--reason", "x");
            assertThat(run(0, "drop", "words@2", "--yes", "--reason", "x"))
                    .containsExactly("drop words: version 2 removed");
            assertThat(column("SELECT nspname FROM pg_namespace WHERE nspname LIKE '%words%'"))
                    .isEmpty();
            assertUsage("add --yes", "cutover", "words", "--reason", "x");
            assertUsage("--revision is 0", "rebuild", "words", "--revision", "0", "--reason", "x");
        } finally {
            execute("DROP TABLE IF EXISTS words");
        }
    }

    private void assertUsage(String message, String... arguments) {
        assertThat(String.join("\n", run(2, arguments))).contains(message);
    }

    private static List<String> audited() throws Exception {
        return column("SELECT actor || ': ' || reason FROM spream.projection_audit");
    }

    private static List<String> column(String query) throws Exception {
        List<String> values = new ArrayList<>();
        try (Connection connection = POSTGRES.source().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                values.add(rows.getString(1));
            }
        }
        return values;
    }

    private static void execute(String sql) throws Exception {
        try (Connection connection = POSTGRES.source().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static EventEnvelope event(String key, long version) {
        return new EventEnvelope(
                key + ":" + version,
                key,
                "EntryChanged",
                "{\"secret\":1}",
                version,
                Instant.parse("2026-01-01T00:00:00Z"),
                EventMetadata.NONE);
    }

    /** Runs the command in this process and returns the lines of standard error; {@code out} gets standard output. */
    private List<String> run(int exitCode, String... arguments) {
        List<String> all = new ArrayList<>(List.of("projection"));
        all.addAll(List.of(arguments));
        all.addAll(List.of("--url", POSTGRES.jdbcUrl()));
        if (List.of("pause", "resume", "retry", "skip", "rebuild", "cutover", "rollback", "drop")
                .contains(arguments[0])) {
            all.addAll(List.of("--actor", "ann"));
        }
        StringWriter err = new StringWriter();
        out.getBuffer().setLength(0);
        CommandLine command = Main.commandLine();
        command.setErr(new PrintWriter(err, true));
        command.setOut(new PrintWriter(out, true));
        assertThat(command.execute(all.toArray(String[]::new))).as("%s", err).isEqualTo(exitCode);
        return err.toString().lines().toList();
    }
}
