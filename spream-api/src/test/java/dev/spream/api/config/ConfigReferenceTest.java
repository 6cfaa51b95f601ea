package dev.spream.api.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ConfigReferenceTest {
    private static final List<ConfigSection> SECTIONS =
            List.of(TestKeys.SPREAM, TestKeys.JDBC_UNUSED, TestKeys.SOURCE, TestKeys.STORAGE_SPANNER);

    @Test
    void people_read_what_holds_and_why() {
        var config = SpreamConfig.builder()
                .environment(Map.of(
                        "SPREAM_CONFIG_MAX_INFLIGHT", "16", "SPREAM_CONFIG_SOURCE_SPANNER_DATABASE", "projects/p"))
                .flag("storage.jdbc.password", "${file:/run/secrets/password}")
                .set("storage.jdbc.pin", "1234")
                .build();

        assertThat(ConfigReference.text(ResolvedConfig.of(config, SECTIONS).entries()))
                .isEqualTo("""
                spream

                    storage = memory  (default)
                        jdbc | memory | spanner; default memory. Where partitions are kept.

                    max-inflight = 16  (SPREAM_CONFIG_MAX_INFLIGHT)
                        integer, 1 to 1000; default 1. How many changes of a partition are consumed at once.

                    lease-time = 30s  (default)
                        duration, 1s to 1h; default 30s. After which time another worker takes over what a dead one
                        held.

                    max-buffered-bytes = a quarter of the heap  (default)
                        size, 1MiB to 1024GiB; default a quarter of the heap. How much memory changes may take.

                storage.jdbc (not in use)

                    storage.jdbc.url is not set
                        text; required. Where the database is.

                    storage.jdbc.user is not set
                        text; no default. Who asks.

                    storage.jdbc.password = ${file:/run/secrets/password}  (--storage.jdbc.password)
                        text; secret; no default. What proves it.

                    storage.jdbc.pin = ********  (set by the program)
                        integer, 1 to 9999; secret; no default. A second proof.

                source.spanner

                    source.spanner.database = projects/p  (SPREAM_CONFIG_SOURCE_SPANNER_DATABASE)
                        text; required. The database that the change stream is of.

                storage.spanner

                    storage.spanner.database = projects/p  (SPREAM_CONFIG_SOURCE_SPANNER_DATABASE, for source.spanner.database)
                        text; the value of source.spanner.database, else required. The database that the partitions
                        are kept in.
                """);
    }

    @Test
    void documents_say_nothing_of_what_is_configured() {
        var configured = ResolvedConfig.of(
                SpreamConfig.of(Map.of("storage", "jdbc", "storage.jdbc.password", "secret")), SECTIONS);
        var empty = ResolvedConfig.of(SpreamConfig.of(Map.of()), SECTIONS);

        assertThat(ConfigReference.markdown(configured.entries()))
                .isEqualTo(ConfigReference.markdown(empty.entries()))
                .isEqualTo("""
                **spream**

                | Key | Type | Default | Meaning |
                |---|---|---|---|
                | `storage` | jdbc \\| memory \\| spanner | memory | Where partitions are kept. |
                | `max-inflight` | integer, 1 to 1000 | 1 | How many changes of a partition are consumed at once. |
                | `lease-time` | duration, 1s to 1h | 30s | After which time another worker takes over what a dead one held. |
                | `max-buffered-bytes` | size, 1MiB to 1024GiB | a quarter of the heap | How much memory changes may take. |

                **storage.jdbc**

                | Key | Type | Default | Meaning |
                |---|---|---|---|
                | `storage.jdbc.url` | text | required | Where the database is. |
                | `storage.jdbc.user` | text |  | Who asks. |
                | `storage.jdbc.password` | text; secret |  | What proves it. |
                | `storage.jdbc.pin` | integer, 1 to 9999; secret |  | A second proof. |

                **source.spanner**

                | Key | Type | Default | Meaning |
                |---|---|---|---|
                | `source.spanner.database` | text | required | The database that the change stream is of. |

                **storage.spanner**

                | Key | Type | Default | Meaning |
                |---|---|---|---|
                | `storage.spanner.database` | text | the value of source.spanner.database, else required | The database that the partitions are kept in. |
                """);
    }

    @Test
    void no_line_is_longer_than_a_hundred_characters() {
        var text = ConfigReference.text(
                ResolvedConfig.of(SpreamConfig.of(Map.of()), SECTIONS).entries());

        assertThat(text.lines()).allMatch(line -> line.length() <= 100);
    }
}
