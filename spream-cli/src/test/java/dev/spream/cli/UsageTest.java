package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Tests that invalid arguments result in one line and exit code 2, before any connection is made. */
final class UsageTest {
    private static final CommandLine FOR_FLAGS = Main.commandLine(); // to make one costs more than to run it
    private static final String GOOD = "-d projects/p/instances/i/databases/d -s Orders ";

    private final StringWriter err = new StringWriter();
    private final StringWriter out = new StringWriter();

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            ""                                          | spream: a command is missing: tail, run, config, graph, partitions, verify, cleanup, subscription, deadletters, locks, outbox, projection, dashboard, export, emulator, completion (see spream --help)
            tial                                        | spream: unknown argument 'tial'; did you mean 'tail'? (see spream --help)
            tail --steam X                              | spream tail: unknown option '--steam'; did you mean '--stream'? (see spream tail --help)
            tail --zzz                                  | spream tail: unknown option '--zzz' (see spream tail --help)
            tail                                        | spream tail: --database is missing; --demo needs none (see spream tail --help)
            tail -d projects/p/instances/i/databases/d  | spream tail: --stream is missing (see spream tail --help)
            graph                                       | spream graph: --database is missing; --demo needs none (see spream graph --help)
            graph --json --dot                          | spream graph: --json and --dot are two formats: remove one (see spream graph --help)
            graph --seed 1                              | spream graph: --seed needs --demo (see spream graph --help)
            graph --demo --start now                    | spream graph: --start cannot be combined with --demo (see spream graph --help)
            graph -d projects/p/instances/i/databases/d -s S --end -2h | spream graph: --end is before --start (see spream graph --help)
            verify                                      | spream verify: --storage is missing: use spanner with --metadata-table, or jdbc with --jdbc-url (see spream verify --help)
            partitions --storage memory                 | spream partitions: --storage memory cannot be read by other processes: use spanner with --metadata-table, or jdbc with --jdbc-url (see spream partitions --help)
            partitions --json --dot                     | spream partitions: --json and --dot are two formats: remove one (see spream partitions --help)
            verify -t P                                 | spream verify: --metadata-database is missing, and so is --database (see spream verify --help)
            cleanup --jdbc-url jdbc:postgresql:x        | spream cleanup: Missing required option: '--finished-before=TIME' (see spream cleanup --help)
            cleanup --finished-before yesterday         | spream cleanup: Invalid value for option '--finished-before': 'yesterday' is not a time: expected a time such as 2026-01-31T12:00:00Z, now, +10s or -5m (see spream cleanup --help)
            export --for beam --to-table B --jdbc-url jdbc:postgresql:x | spream export: --to-database is missing, and so are --metadata-database and --database (see spream export --help)
            deadletters                                 | spream deadletters: a command is missing: list, show, replay, release, discard (see spream deadletters --help)
            deadletters lst                             | spream deadletters: unknown argument 'lst'; did you mean 'list'? (see spream deadletters --help)
            deadletters list --jsn                      | spream deadletters list: unknown option '--jsn'; did you mean '--json'? (see spream deadletters list --help)
            deadletters list --sink                     | spream deadletters list: --sink has no value: write --sink=VALUE (see spream deadletters list --help)
            deadletters show                            | spream deadletters show: Missing required parameter: 'IDENTITY' (see spream deadletters show --help)
            deadletters show 5                          | spream deadletters show: Invalid value for positional parameter at index 0 (IDENTITY): '5' is not the identity of a change: expected COMMIT_TIMESTAMP/TRANSACTION/SEQUENCE, as deadletters list shows it (see spream deadletters show --help)
            deadletters replay                          | spream deadletters replay: letters are missing: add identities, --key or --all (see spream deadletters replay --help)
            deadletters replay --all --key Id=5         | spream deadletters replay: letters are missing: add identities, --key or --all (see spream deadletters replay --help)
            deadletters replay --table Orders           | spream deadletters replay: --table needs --key: a replay selects one key, some letters or all (see spream deadletters replay --help)
            deadletters release                         | spream deadletters release: keys are missing: add --key, with or without --table, or --table, or --all (see spream deadletters release --help)
            deadletters discard 2026-01-01T00:00:00Z/t/0 | spream deadletters discard: discarded changes never reach the sink: review them with deadletters show, and add --yes (see spream deadletters discard --help)
            locks                                       | spream locks: a command is missing: provision, check, list (see spream locks --help)
            outbox                                      | spream outbox: a command is missing: stats, list, show, requeue, settle, release-expired, abort, purge, run (see spream outbox --help)
            projection                                  | spream projection: a command is missing: list, show, deadletters, audit, pause, resume, retry, skip, segments, rebuild, compare, cutover, rollback, drop (see spream projection --help)
            locks provision --buckets many              | spream locks provision: Invalid value for option '--buckets': 'many' is not a long (see spream locks provision --help)
            locks provision --recreate                  | spream locks provision: a process that continues to lock the old buckets would exclude no other process: stop every process that locks here, and add --yes (see spream locks provision --help)
            locks check --buckets                       | spream locks check: --buckets has no value: write --buckets=VALUE (see spream locks check --help)
            emulator --port 70000                       | spream emulator: --port is 70000, must be 0 to 65535 (see spream emulator --help)
            emulator --churn often                      | spream emulator: --churn: 'often' is not a duration: write 500ms, 10s, 5m or 2h, or off (see spream emulator --help)
            emulator --faults 0.95                      | spream emulator: --faults is 0.95, must be 0 to 0.9 (see spream emulator --help)
            emulator --faults NaN                       | spream emulator: --faults is NaN, must be 0 to 0.9 (see spream emulator --help)
            emulator --churn 0s                         | spream emulator: --churn is 0: use off to disable it (see spream emulator --help)
            """)
    void a_command_line_that_is_incomplete_or_misspelt(String arguments, String line) {
        assertThat(run(arguments)).isEqualTo(2);
        assertThat(err).hasToString(line + System.lineSeparator());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            -s 1st                        | --stream: malformed change stream name '1st'
            -s A;B                        | --stream: malformed change stream name 'A;B'
            --limit 0                     | --limit is 0, must be 1 or more
            --limit few                   | 'few' is not a long
            --max-inflight 0              | --max-inflight is 0, must be 1 to 1000
            --max-inflight 1001           | --max-inflight is 1001, must be 1 to 1000
            --heartbeat-interval 10m      | --heartbeat-interval is 10m, must be 100ms to 5m
            --connect-timeout 99ms        | --connect-timeout is 99ms, must be 100ms to 5m
            --heartbeat-interval 99ms     | --heartbeat-interval is 99ms, must be 100ms to 5m
            --heartbeat-interval soon     | 'soon' is not a duration: write 500ms, 10s, 5m or 2h
            --start yesterday             | 'yesterday' is not a time
            --start now --end -1s         | is before --start
            --end -5s                     | --end is past, and without --start it would start now
            --start -999999999d           | is not a time: expected duration, 0s to 3650d
            --start 0000-01-01T00:00:00Z  | expected a time from 0001-01-01T00:00:00Z to 9999-12-31T23:59:59.999999999Z
            --end +999999999d             | is not a time: expected duration, 0s to 3650d
            --priority urgent             | expected one of
            --ordering sometimes          | expected one of
            -d projects/p                 | malformed database name 'projects/p': expected projects/<project>/
            --emulator-host x:99999       | --emulator-host 'x:99999' is malformed: expected host:port
            --emulator-host x:0           | --emulator-host 'x:0' is malformed: expected host:port
            --emulator-host http://x:1    | --emulator-host 'http://x:1' is malformed: expected host:port
            --emulator-host :9010         | --emulator-host ':9010' is malformed: expected host:port
            --emulator-host=              | --emulator-host '' is malformed: expected host:port
            --tables Orders,a:b.c'd       | --tables: 'a:b.c'd' is not a table name
            --columns Status              | --columns: 'Status' is not a column name: write Table.Column
            --tables Orders --columns Items.Id | --columns: column Items.Id belongs to a table that is filtered out
            --mod-types upsert            | --mod-types: 'upsert' is none of insert, update, delete
            --format xml                  | expected one of
            --sink jsonl --limit 5        | --limit cannot be combined with --sink, --config or --plugins
            --sink jsonl --all-records    | --all-records cannot be combined with --sink, --config or --plugins
            --sink jsonl --sink.jsonl.path | --sink.jsonl.path has no value: write --sink.jsonl.path=VALUE
            --sink.jsonl.path=a --sink.jsonl.path=b | --sink.jsonl.path is given twice: remove one
            --sink jsonl --sinc           | unknown option '--sinc'
            --sink webhook --sink.webhook.Token=x | unknown option '--sink.webhook.Token'
            --emulator-host x:1 --endpoint y:443 | --emulator-host cannot be combined with --endpoint or --credentials-file
            --emulator-host x:1 --credentials-file k | --emulator-host cannot be combined with --endpoint or --credentials-file
            --endpoint http://x:1         | --endpoint 'http://x:1': expected host:port or https://host[:port]
            --channels 1                  | --channels is 1, must be 2 to 256
            --channels 257                | --channels '257': expected integer, 1 to 256
            --keep-alive-time 1s          | --keep-alive-time '1s': expected duration, 10s to 1h
            --directed-reads us-east1     | --directed-reads 'us-east1': expected include:, only: or exclude:
            --read-function a.b           | --read-function 'a.b': malformed read function name
            --credentials-json {}         | did you mean '--credentials-file'?
            --seed 7                      | --seed needs --demo
            --storage redis               | expected one of
            --storage jdbc                | --jdbc-url is missing; --storage jdbc needs it
            --storage spanner             | --metadata-table is missing; --storage spanner needs it
            --storage memory -t P         | --metadata-table needs --storage spanner; the storage is memory
            --storage jdbc -t P           | --metadata-table needs --storage spanner; the storage is jdbc
            --storage spanner -t P --jdbc-schema s | --jdbc-schema needs --storage jdbc; the storage is spanner
            -t P --jdbc-user joe          | --jdbc-user needs --storage jdbc; the storage is spanner
            --jdbc-url jdbc:postgresql:x --create-table | --create-table needs --storage spanner; the storage is jdbc
            --subscription other          | --subscription needs --storage jdbc; the storage is memory
            --metadata-database projects/p/instances/i/databases/m | --metadata-database needs --storage spanner; the storage is memory
            --metadata-database m -t P    | malformed database name 'm'
            -t P --jdbc-url jdbc:postgresql:x | --metadata-table and --jdbc-url select two storages: remove one
            --jdbc-url jdbc:mysql://h/d   | --jdbc-url is not a PostgreSQL URL: expected jdbc:postgresql://<host>/<database>
            --jdbc-url jdbc:postgresql://h/d?password=x | --jdbc-url has a password, which others on the machine can see: use --jdbc-password-file or SPREAM_CONFIG_STORAGE_JDBC_PASSWORD
            --jdbc-url jdbc:postgresql://u:p@h/d | --jdbc-url has a password, which others on the machine can see
            --jdbc-url jdbc:postgresql:x --jdbc-password-file /nonexistent/secret | --jdbc-password-file '/nonexistent/secret' does not exist
            --jdbc-url jdbc:postgresql:x --jdbc-password x | did you mean '--jdbc-password-file'?
            --worker w1                   | --worker needs a storage that workers share: --storage jdbc or spanner
            --lease-time 5s               | --lease-time needs a storage that workers share: --storage jdbc or spanner
            --lease-time 99ms             | --lease-time is 99ms, must be 100ms to 1h
            --jdbc-url jdbc:postgresql:x --worker= | --worker must have 1 to 150 characters
            --whole-transactions --commit-order | --commit-order includes --whole-transactions; remove one of them
            --snapshot --start -5m        | --snapshot cannot be combined with --start: a snapshot starts now
            --snapshot --commit-order     | --snapshot cannot be combined with --commit-order
            --transactions 5              | --transactions needs --demo
            --faults                      | --faults needs --demo
            """)
    void a_flag_with_a_value_that_cannot_be_meant(String arguments, String message) {
        // The last one of a repeated flag would be refused for the repetition.
        String good = arguments.startsWith("-s ")
                ? "-d projects/p/instances/i/databases/d "
                : arguments.startsWith("-d ") ? "-s Orders " : GOOD;
        assertThat(run(FOR_FLAGS, "tail " + good + arguments)).isEqualTo(2);
        assertThat(err.toString())
                .startsWith("spream tail: ")
                .contains(message)
                .containsOnlyOnce("\n")
                .doesNotContain("password=x");
    }

    @Test
    void keys_of_a_sink_are_validated_together() {
        assertThat(run(FOR_FLAGS, "tail " + GOOD + "--sink jsnl --sink.jsonl.pth=x"))
                .isEqualTo(2);
        assertThat(err.toString())
                .startsWith("spream tail: ")
                .contains("sink is 'jsnl' (--sink), but there is no such plug-in; did you mean jsonl?")
                .contains("sink.jsonl.pth (--sink.jsonl.pth) is not a known key; did you mean sink.jsonl.path?");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --duration 0s          | --duration is 0s, must be 1ms to 1h
            --duration 999999999d  | is not a duration: write 500ms
            --transactions 0       | --transactions is 0, must be 1 or more
            --dialect mysql        | expected one of
            --faults --emulator-host x:1 | --faults needs the embedded emulator; remove --emulator-host
            """)
    void a_flag_of_the_demo_with_a_value_that_cannot_be_meant(String arguments, String message) {
        assertThat(run("tail --demo " + arguments)).isEqualTo(2);
        assertThat(err.toString()).startsWith("spream tail: ").contains(message).containsOnlyOnce("\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-d projects/p/instances/i/databases/d",
                "-s Orders",
                "--limit 3",
                "--endpoint x:443",
                "--tables Accounts",
                "--sink jsonl",
                "--config spream.properties",
                "--plugins plugins",
                "--mod-types insert",
                "--credentials-file k",
                "--directed-reads include:read-only",
                "--read-function READ_Orders",
                "--start now",
                "--end +1s",
                "--storage memory",
                "-t P",
                "--worker w",
                "--jdbc-url jdbc:postgresql:x"
            })
    void the_demo_takes_no_flag_that_it_would_ignore(String flag) {
        assertThat(run("tail --demo " + flag)).isEqualTo(2);
        assertThat(err.toString()).contains(" cannot be combined with --demo").containsOnlyOnce("\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--help",
                "tail --help",
                "emulator --help",
                "graph --help",
                "run --help",
                "config --help",
                "partitions --help",
                "verify --help",
                "cleanup --help",
                "export --help",
                "--version",
                "tail --version"
            })
    void help_and_version_go_to_the_standard_output(String arguments) {
        assertThat(run(arguments)).isZero();
        assertThat(out.toString()).contains("spream");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void every_flag_is_in_the_help() {
        Main.commandLine()
                .getSubcommands()
                .values()
                .forEach(command -> command.getCommandSpec().options().stream()
                        .filter(option -> !option.hidden())
                        .forEach(option -> assertThat(command.getUsageMessage()).contains(option.longestName())));
    }

    @Test
    void a_named_command_is_the_only_one_that_is_made_and_has_the_same_help() {
        Main.commandLine().getSubcommands().forEach((name, command) -> {
            Map<String, CommandLine> made = Main.commandLine(name, "--help").getSubcommands();
            assertThat(made).containsOnlyKeys(name);
            assertThat(made.values())
                    .extracting(CommandLine::getUsageMessage)
                    .containsExactly(command.getUsageMessage());
        });
        assertThat(Main.commandLine("tial").getSubcommands()).hasSizeGreaterThan(1);
    }

    private int run(String arguments) {
        return run(Main.commandLine(), arguments);
    }

    private int run(CommandLine command, String arguments) {
        command.setErr(new PrintWriter(err, true));
        command.setOut(new PrintWriter(out, true));
        return command.execute(
                arguments.isEmpty() ? new String[0] : arguments.strip().split(" +"));
    }
}
