package dev.spream.api.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ResolvedConfigTest {

    @Test
    void values_have_the_types_of_their_keys() {
        var config = resolved(Map.of("max-inflight", "32", "storage", "jdbc"), TestKeys.SPREAM);

        assertThat(config.problems()).isEmpty();
        assertThat(config.section("").get(TestKeys.MAX_INFLIGHT)).isEqualTo(32);
        assertThat(config.section("").get(TestKeys.STORAGE)).isEqualTo("jdbc");
    }

    @Test
    void a_key_that_is_not_configured_has_its_default_or_is_absent() {
        var own = resolved(Map.of(), TestKeys.SPREAM).section("");

        assertThat(own.get(TestKeys.LEASE_TIME)).isEqualTo(Duration.ofSeconds(30));
        assertThat(own.find(TestKeys.LEASE_TIME)).contains(Duration.ofSeconds(30));
        assertThat(own.find(TestKeys.BUFFER)).isEmpty();
    }

    @Test
    void a_value_that_cannot_be_read_is_named_with_key_place_and_what_was_expected() {
        assertThat(resolved(Map.of("max-inflight", "many"), TestKeys.SPREAM).problems())
                .containsExactly("max-inflight is 'many' (set by the program): expected integer, 1 to 1000");
    }

    @Test
    void the_nearest_choice_is_suggested() {
        assertThat(resolved(Map.of("storage", "jbdc"), TestKeys.SPREAM).problems())
                .containsExactly("storage is 'jbdc' (set by the program): expected jdbc | memory | spanner; "
                        + "did you mean jdbc?");
    }

    @Test
    void a_required_key_that_is_not_configured_is_named_with_the_ways_to_do_so() {
        assertThat(resolved(Map.of(), TestKeys.JDBC).problems())
                .containsExactly(
                        "storage.jdbc.url is not configured; set it in the file, by the flag --storage.jdbc.url "
                                + "or by the variable SPREAM_CONFIG_STORAGE_JDBC_URL: Where the database is.");
    }

    @Test
    void an_empty_value_is_wrong_and_not_absent() {
        assertThat(resolved(Map.of("max-inflight", ""), TestKeys.SPREAM).problems())
                .containsExactly("max-inflight is '' (set by the program), which is empty; set a value, or remove it");
    }

    @Test
    void an_unknown_key_is_refused_with_the_nearest_known_one() {
        assertThat(resolved(Map.of("max-infligth", "3"), TestKeys.SPREAM).problems())
                .containsExactly("max-infligth (set by the program) is not a known key; did you mean max-inflight?");
    }

    @Test
    void a_key_without_its_section_is_found_there() {
        assertThat(resolved(Map.of("storage.jdbc.url", "x", "password", "x"), TestKeys.JDBC)
                        .problems())
                .containsExactly(
                        "password (set by the program) is not a known key; " + "did you mean storage.jdbc.password?");
    }

    @Test
    void a_key_that_is_near_to_nothing_is_answered_with_the_keys_of_its_plug_in() {
        assertThat(resolved(Map.of("storage.jdbc.url", "x", "storage.jdbc.connections", "3"), TestKeys.JDBC)
                        .problems())
                .containsExactly("storage.jdbc.connections (set by the program) is not a known key; "
                        + "storage.jdbc has the keys url, user, password, pin");
    }

    @ParameterizedTest
    @CsvSource({
        "storage.jdbc.pasword, storage.jdbc.password",
        "storage.jbdc.url, storage.jdbc.url",
        "storage-jdbc-url, storage.jdbc.url",
        "max.inflight, max-inflight",
        "lease_time, lease-time",
    })
    void a_key_with_mistakes_in_any_part_is_recognised(String mistaken, String meant) {
        assertThat(resolved(Map.of("storage.jdbc.url", "x", mistaken, "x"), TestKeys.SPREAM, TestKeys.JDBC)
                        .problems())
                .containsExactly(
                        "%s (set by the program) is not a known key; did you mean %s?".formatted(mistaken, meant));
    }

    @ParameterizedTest
    @CsvSource({
        "storage.jdbc.foo, ; storage.jdbc has the keys url& user& password& pin",
        "storage.jbdc.foo, ; storage.jdbc has the keys url& user& password& pin",
        "sink.lgo.level, ; sink.log has no keys",
        "sink.log, ; sink.log has no keys",
        "storage.jdbc, ; storage.jdbc has the keys url& user& password& pin",
        "color, ''",
    })
    void an_unknown_key_is_reported_with_the_keys_of_its_section(String unknown, String hint) {
        assertThat(resolved(
                                Map.of("storage.jdbc.url", "x", unknown, "x"),
                                TestKeys.SPREAM,
                                TestKeys.JDBC,
                                new ConfigSection("sink.log", List.of(), false))
                        .problems())
                .containsExactly(unknown + " (set by the program) is not a known key" + hint.replace('&', ','));
    }

    @Test
    void a_key_of_a_plug_in_that_was_not_found_is_answered_with_those_that_were() {
        assertThat(resolved(
                                Map.of("storage.cassandra.contact-points", "x"),
                                TestKeys.JDBC_UNUSED,
                                new ConfigSection("storage.memory", List.of(), false))
                        .problems())
                .containsExactly("storage.cassandra.contact-points (set by the program) is not a known key; "
                        + "of this kind there are storage.jdbc, storage.memory");
    }

    @Test
    void keys_of_a_section_that_is_not_in_use_are_allowed_and_not_judged() {
        var config = resolved(
                Map.of("storage.jdbc.pin", "no number", "storage.jdbc.password", "${env:NOBODY_SET_THIS}"),
                TestKeys.JDBC_UNUSED);

        assertThat(config.problems()).isEmpty();
        assertThatThrownBy(() -> config.section("storage.jdbc"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no section 'storage.jdbc' is in use");
    }

    @Test
    void a_fallback_holds_where_nothing_is_configured() {
        Map<String, String> values = Map.of("source.spanner.database", "projects/p/instances/i/databases/d");

        for (var source : List.of(TestKeys.SOURCE, TestKeys.SOURCE_UNUSED)) {
            var config = resolved(values, source, TestKeys.STORAGE_SPANNER);

            assertThat(config.problems()).isEmpty();
            assertThat(config.section("storage.spanner").get(TestKeys.STORAGE_DATABASE))
                    .isEqualTo("projects/p/instances/i/databases/d");
            assertThat(config.describe("storage.spanner.database"))
                    .isEqualTo("storage.spanner.database is 'projects/p/instances/i/databases/d' "
                            + "(set by the program, for source.spanner.database)");
        }
    }

    @Test
    void a_configured_value_overrides_the_fallback() {
        var config = resolved(
                Map.of("source.spanner.database", "one", "storage.spanner.database", "other"),
                TestKeys.SOURCE,
                TestKeys.STORAGE_SPANNER);

        assertThat(config.section("storage.spanner").get(TestKeys.STORAGE_DATABASE))
                .isEqualTo("other");
    }

    @Test
    void a_fallback_that_is_unknown_or_not_configured_counts_as_missing() {
        var problem =
                "storage.spanner.database (or else source.spanner.database) is not configured; set it in the file, "
                        + "by the flag --storage.spanner.database or by the variable SPREAM_CONFIG_STORAGE_SPANNER_DATABASE: "
                        + "The database that the partitions are kept in.";

        assertThat(resolved(Map.of(), TestKeys.STORAGE_SPANNER).problems()).containsExactly(problem);
        assertThat(resolved(Map.of(), TestKeys.STORAGE_SPANNER, TestKeys.SOURCE_UNUSED)
                        .problems())
                .containsExactly(problem);
    }

    @Test
    void a_fallback_in_use_brings_its_own_default_and_fallback() {
        var first = key("first").withFallback("b.second").withDefault("of the first");
        var second = key("second").withFallback("c.third");
        var third = key("third").withDefault("of the third");
        var sections = List.of(section("a", true, first), section("b", true, second), section("c", true, third));

        var config = ResolvedConfig.of(SpreamConfig.of(Map.of()), sections);

        assertThat(config.section("a").get(first)).isEqualTo("of the third");
        assertThat(config.describe("a.first")).isEqualTo("a.first is 'of the third' (default, for c.third)");
    }

    @Test
    void a_default_of_a_fallback_that_is_not_in_use_does_not_count() {
        var first = key("first").withFallback("b.second").withDefault("of the first");
        var second = key("second").withDefault("of the second");

        var config = ResolvedConfig.of(
                SpreamConfig.of(Map.of()), List.of(section("a", true, first), section("b", false, second)));

        assertThat(config.section("a").get(first)).isEqualTo("of the first");
    }

    @Test
    void a_fallback_is_not_taken_beside_a_key_that_excludes_it() {
        var file = key("file").withFallback("b.file", "text");
        var sections = List.of(section("a", true, file, key("text")), section("b", true, key("file")));

        var alone = ResolvedConfig.of(SpreamConfig.of(Map.of("b.file", "of b")), sections);
        var beside = ResolvedConfig.of(SpreamConfig.of(Map.of("b.file", "of b", "a.text", "own")), sections);

        assertThat(alone.section("a").find(file)).contains("of b");
        assertThat(beside.section("a").find(file)).isEmpty();
        assertThat(beside.problems()).isEmpty();
    }

    @Test
    void fallbacks_that_lead_in_a_circle_end() {
        var first = key("first").withFallback("a.second");
        var second = key("second").withFallback("a.first");

        var config = ResolvedConfig.of(SpreamConfig.of(Map.of()), List.of(section("a", true, first, second)));

        assertThat(config.problems()).isEmpty();
        assertThat(config.section("a").find(first)).isEmpty();
    }

    @Test
    void a_fallback_that_does_not_fit_names_both_keys_and_the_place() {
        var taker =
                ConfigKey.of("pool", ConfigType.integer(1, 10), "Connections.").withFallback("b.second");

        var config = ResolvedConfig.of(
                SpreamConfig.of(Map.of("b.second", "many")),
                List.of(section("a", true, taker), section("b", false, key("second"))));

        assertThat(config.problems())
                .containsExactly("b.second is 'many' (set by the program), which a.pool takes as well: "
                        + "expected integer, 1 to 10");
    }

    @Test
    void reading_a_key_that_is_undeclared_or_has_no_value_fails() {
        var own = resolved(Map.of(), TestKeys.SPREAM).section("");

        assertThatThrownBy(() -> own.find(TestKeys.URL))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("url is not among the keys that are declared for spream itself");
        assertThatThrownBy(() -> own.get(TestKeys.BUFFER))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("max-buffered-bytes is not configured and has no default");
    }

    @Test
    void a_key_that_a_plug_in_declares_twice_is_reported() {
        var config = ResolvedConfig.of(
                SpreamConfig.of(Map.of()), List.of(section("sink.x", true, key("same"), key("same"))));

        assertThat(config.problems())
                .containsExactly(
                        "the key sink.x.same is declared twice by a plug-in, which is a defect of the plug-in");
    }

    @Test
    void a_type_that_fails_in_its_own_way_refuses_the_value() {
        var strange = ConfigKey.of(
                "strange", new ConfigType<>("a strange thing", ResolvedConfigTest::fail, String::valueOf), "Strange.");

        var config = ResolvedConfig.of(SpreamConfig.of(Map.of("a.strange", "x")), List.of(section("a", true, strange)));

        assertThat(config.problems())
                .containsExactly("a.strange is 'x' (set by the program): expected a strange thing");
    }

    @Test
    void an_effective_value_is_described_with_its_origin() {
        var config = resolved(Map.of("max-inflight", "3"), TestKeys.SPREAM);

        assertThat(config.describe("max-inflight")).isEqualTo("max-inflight is '3' (set by the program)");
        assertThat(config.describe("lease-time")).isEqualTo("lease-time is '30s' (default)");
        assertThatThrownBy(() -> config.describe("lease")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void entries_tell_every_key_in_the_order_of_the_sections() {
        var entries = resolved(Map.of("storage.jdbc.user", "me"), TestKeys.SPREAM, TestKeys.JDBC_UNUSED)
                .entries();

        assertThat(entries)
                .extracting(ConfigEntry::key)
                .containsExactly(
                        "storage",
                        "max-inflight",
                        "lease-time",
                        "max-buffered-bytes",
                        "storage.jdbc.url",
                        "storage.jdbc.user",
                        "storage.jdbc.password",
                        "storage.jdbc.pin");
        assertThat(entries.get(3))
                .isEqualTo(new ConfigEntry(
                        "max-buffered-bytes",
                        "",
                        TestKeys.BUFFER,
                        true,
                        Optional.of("a quarter of the heap"),
                        "default"));
        assertThat(entries.get(5))
                .isEqualTo(new ConfigEntry(
                        "storage.jdbc.user",
                        "storage.jdbc",
                        TestKeys.USER,
                        false,
                        Optional.of("me"),
                        "set by the program"));
    }

    private static ResolvedConfig resolved(Map<String, String> values, ConfigSection... sections) {
        return ResolvedConfig.of(SpreamConfig.of(values), List.of(sections));
    }

    private static ConfigKey<String> key(String name) {
        return ConfigKey.of(name, ConfigType.text(), "A key of this test.");
    }

    private static ConfigSection section(String prefix, boolean inUse, ConfigKey<?>... keys) {
        return new ConfigSection(prefix, List.of(keys), inUse);
    }

    @Test
    void a_type_that_reads_nothing_refuses_the_value() {
        var empty = ConfigKey.of("empty", new ConfigType<>("nothing", text -> nothing(), String::valueOf), "Empty.");

        var config = ResolvedConfig.of(SpreamConfig.of(Map.of("a.empty", "x")), List.of(section("a", true, empty)));

        assertThat(config.problems()).containsExactly("a.empty is 'x' (set by the program): expected nothing");
    }

    /** Returns null, as a plug-in may that was compiled without checks for null. */
    @SuppressWarnings("NullAway")
    private static Object nothing() {
        return null;
    }

    private static Object fail(String text) {
        throw new ArithmeticException("no idea what to do with " + text);
    }
}
