package dev.spream.differential;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.BatchReadOnlyTransaction;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.ErrorCode;
import com.google.cloud.spanner.PartitionOptions;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.Spanner;
import com.google.cloud.spanner.SpannerException;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.TimestampBound;
import com.google.cloud.spanner.TransactionRunner;
import dev.spream.servers.SpannerServer;
import dev.spream.servers.SpannerServers;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * Compares schemas, DML, queries and errors of both emulators; the line {@code DDL} stands for the statements that create
 * the database, sorted, {@code PAST 2 SELECT} for a query as of the last DML statement but one, and {@code PARTITION}
 * precedes a query whose partitions are asked for. The files of statements, one for each dialect, have the
 * answers of Google's emulator, and where ours differs its answer as well, so that each difference is known. Where
 * Google's is found, it is held against the files too; {@code STATEMENTS_WRITE=true} writes them anew.
 */
@Timeout(180)
class StatementsDifferentialIT {
    private static final String GOOGLES = "  = ";
    private static final String OURS = "  ~ ";

    /** The statements whose errors are compared with their texts. */
    private static final Set<String> CONSTRAINED = Set.of("INSERT", "UPDATE", "DELETE");

    /** The errors of rows that violate a constraint. */
    private static final Set<ErrorCode> VIOLATIONS = EnumSet.of(
            ErrorCode.ALREADY_EXISTS, ErrorCode.FAILED_PRECONDITION, ErrorCode.NOT_FOUND, ErrorCode.OUT_OF_RANGE);

    /** A statement with the answer of Google's emulator, and that of ours if it is another one. */
    private record Compared(String statement, String googles, Optional<String> ours) {
        String expected() {
            return ours.orElse(googles);
        }

        Compared answered(String google, String our) {
            return new Compared(statement, google, Optional.of(our).filter(answer -> !answer.equals(google)));
        }

        String lines() {
            return statement + "\n" + GOOGLES + googles + "\n"
                    + ours.map(answer -> OURS + answer + "\n").orElse("");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Dialect.class,
            names = {"GOOGLE_STANDARD_SQL", "POSTGRESQL"},
            mode = Mode.INCLUDE)
    void statements_are_answered_as_the_files_say(Dialect dialect) throws Exception {
        Path file = file(dialect);
        List<Compared> statements = read(file);
        List<String> ours = answers(QuietEmulators.server(QuietEmulators.alone()), dialect, statements);
        Optional<List<String>> googles = SpannerServers.google().map(server -> answers(server, dialect, statements));
        if (googles.isPresent() && System.getenv("STATEMENTS_WRITE") != null) {
            write(file, statements, googles.get(), ours);
        }
        assertThat(told(statements, ours))
                .isEqualTo(told(
                        statements, statements.stream().map(Compared::expected).toList()));
        googles.ifPresent(answers -> assertThat(told(statements, answers))
                .isEqualTo(told(
                        statements, statements.stream().map(Compared::googles).toList())));
    }

    private static Path file(Dialect dialect) throws URISyntaxException {
        String name = dialect == Dialect.POSTGRESQL ? "postgresql.statements" : "googlesql.statements";
        return Path.of(Objects.requireNonNull(StatementsDifferentialIT.class.getResource(name), name)
                .toURI());
    }

    private static List<Compared> read(Path file) throws IOException {
        List<Compared> statements = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            if (line.startsWith(GOOGLES)) {
                Compared last = statements.removeLast();
                statements.add(new Compared(last.statement(), line.substring(GOOGLES.length()), Optional.empty()));
            } else if (line.startsWith(OURS)) {
                Compared last = statements.removeLast();
                statements.add(
                        new Compared(last.statement(), last.googles(), Optional.of(line.substring(OURS.length()))));
            } else if (!line.isBlank()) {
                statements.add(new Compared(line, "", Optional.empty()));
            }
        }
        return statements;
    }

    /** Writes the file among the sources of this module. */
    private static void write(Path file, List<Compared> statements, List<String> googles, List<String> ours)
            throws IOException {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < statements.size(); i++) {
            text.append(statements.get(i).answered(googles.get(i), ours.get(i)).lines());
        }
        Path folder = Path.of("src/test/resources/dev/spream/differential");
        Files.writeString(folder.resolve(file.getFileName().toString()), text);
    }

    private static String told(List<Compared> statements, List<String> answers) {
        StringBuilder told = new StringBuilder();
        for (int i = 0; i < answers.size(); i++) {
            told.append(statements.get(i).statement())
                    .append('\n')
                    .append(GOOGLES)
                    .append(answers.get(i))
                    .append('\n');
        }
        return told.toString();
    }

    private static List<String> answers(SpannerServer server, Dialect dialect, List<Compared> statements) {
        DatabaseId database = server.createDatabase(dialect, List.of());
        List<Timestamp> commits = new ArrayList<>();
        try (Spanner client = server.client()) {
            return statements.stream()
                    .map(each -> answer(client, database, each.statement(), commits))
                    .toList();
        }
    }

    private static String answer(Spanner client, DatabaseId database, String statement, List<Timestamp> commits) {
        DatabaseClient data = client.getDatabaseClient(database);
        String word = statement.split("\\s", 2)[0].toUpperCase(java.util.Locale.ROOT);
        try {
            return switch (word) {
                case "DDL" ->
                    client
                            .getDatabaseAdminClient()
                            .getDatabaseDdl(database.getInstanceId().getInstance(), database.getDatabase())
                            .stream()
                            .sorted()
                            .collect(Collectors.joining("; "))
                            .replace('\n', ' ');
                case "PARTITION" -> partitions(client, database, statement.substring("PARTITION ".length()));
                case "SELECT", "WITH" -> rows(data.singleUse().executeQuery(Statement.of(statement)));
                case "PAST" -> {
                    String[] words = statement.split("\\s", 3);
                    Timestamp time = commits.get(commits.size() - Integer.parseInt(words[1]));
                    yield rows(
                            data.singleUse(TimestampBound.ofReadTimestamp(time)).executeQuery(Statement.of(words[2])));
                }
                case "INSERT", "UPDATE", "DELETE" -> {
                    TransactionRunner runner = data.readWriteTransaction();
                    String answer = Objects.requireNonNull(runner.run(transaction -> statement.contains("RETURN")
                            ? rows(transaction.executeQuery(Statement.of(statement)))
                            : transaction.executeUpdate(Statement.of(statement)) + " rows"));
                    commits.add(runner.getCommitTimestamp());
                    yield answer;
                }
                default -> {
                    TableChanges.alter(client, database, List.of(statement));
                    yield "done";
                }
            };
        } catch (SpannerException e) {
            return CONSTRAINED.contains(word) && VIOLATIONS.contains(e.getErrorCode())
                    ? text(e)
                    : e.getErrorCode().name();
        }
    }

    /** Returns the code and the text of the server, without what the client adds to them. */
    private static String text(SpannerException e) {
        String message = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
        String code = e.getErrorCode().name() + ": ";
        return code
                + message.substring(message.lastIndexOf(code) + code.length()).replaceFirst(" - Statement: .*", "");
    }

    private static String partitions(Spanner client, DatabaseId database, String query) {
        try (BatchReadOnlyTransaction transaction =
                client.getBatchClient(database).batchReadOnlyTransaction(TimestampBound.strong())) {
            transaction.partitionQuery(PartitionOptions.getDefaultInstance(), Statement.of(query));
            return "partitions";
        }
    }

    private static String rows(ResultSet results) {
        try (results) {
            List<String> rows = new ArrayList<>();
            while (results.next()) {
                rows.add(row(results.getCurrentRowAsStruct()));
            }
            return results.getType().getStructFields().stream()
                            .map(field -> field.getName() + ":" + field.getType())
                            .toList()
                    + rows.stream().map(row -> " " + row).collect(Collectors.joining());
        }
    }

    private static String row(Struct row) {
        List<String> values = new ArrayList<>();
        for (int i = 0; i < row.getColumnCount(); i++) {
            values.add(row.isNull(i) ? "NULL" : row.getValue(i).toString());
        }
        return values.toString();
    }
}
