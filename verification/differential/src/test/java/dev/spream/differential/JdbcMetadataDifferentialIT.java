package dev.spream.differential;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import dev.spream.servers.SpannerServer;
import dev.spream.servers.SpannerServers;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Compares the metadata of Spanner's JDBC driver over our emulator, and over ours over Google's, with that over Google's:
 * all columns of all rows, but for the backing indexes of foreign keys, which ours has not. The catalog of PostgreSQL is
 * the name of the database, as in Spanner, and empty in Google's emulator.
 */
@Timeout(120)
class JdbcMetadataDifferentialIT {
    private static final List<String> GOOGLE = List.of(
            """
            CREATE TABLE Singers (Id INT64 NOT NULL, Name STRING(100), Short BYTES(20), Long BYTES(MAX), F FLOAT64,
            F3 FLOAT32, N NUMERIC, J JSON, B BOOL NOT NULL, D DATE, T TIMESTAMP OPTIONS (allow_commit_timestamp = true),
            A ARRAY<INT64>, S ARRAY<STRING(10)>, Def INT64 DEFAULT (5), Gen INT64 AS (Id * 2) STORED) PRIMARY KEY (Id)""",
            "CREATE TABLE Albums (Id INT64 NOT NULL, Album INT64 NOT NULL, Title STRING(MAX)) PRIMARY KEY (Id, Album DESC),"
                    + " INTERLEAVE IN PARENT Singers ON DELETE CASCADE",
            "CREATE UNIQUE INDEX ByName ON Singers(Name) STORING (F)",
            "CREATE NULL_FILTERED INDEX ByDate ON Singers(D DESC, F)",
            "CREATE INDEX AlbumsByTitle ON Albums(Title)",
            "CREATE TABLE Played (Id INT64 NOT NULL, Singer INT64, Album INT64,"
                    + " CONSTRAINT BySinger FOREIGN KEY (Singer) REFERENCES Singers (Id) ON DELETE CASCADE,"
                    + " CONSTRAINT OfAlbum FOREIGN KEY (Singer, Album) REFERENCES Albums (Id, Album)) PRIMARY KEY (Id)",
            "CREATE VIEW Ids SQL SECURITY INVOKER AS SELECT Singers.Id, Singers.F FROM Singers",
            "CREATE SCHEMA Sc",
            "CREATE TABLE Sc.T (Id INT64 NOT NULL, V STRING(36)) PRIMARY KEY (Id)",
            "CREATE INDEX Sc.ByV ON Sc.T(V)",
            "CREATE CHANGE STREAM Everything FOR ALL");

    private static final List<String> POSTGRESQL = List.of(
            """
            CREATE TABLE singers (id bigint PRIMARY KEY, name varchar(100), raw bytea, f double precision, f3 real,
            n numeric, j jsonb, b boolean NOT NULL, d date, t timestamptz, ct spanner.commit_timestamp, a bigint[],
            s varchar[], gen bigint GENERATED ALWAYS AS (id * 2) STORED)""",
            "CREATE TABLE albums (id bigint, album bigint, title varchar, PRIMARY KEY (id, album))"
                    + " INTERLEAVE IN PARENT singers ON DELETE CASCADE",
            "CREATE UNIQUE INDEX byname ON singers(name) INCLUDE (f)",
            "CREATE INDEX bydate ON singers(d DESC, f) WHERE d IS NOT NULL AND f IS NOT NULL",
            "CREATE INDEX albumsbytitle ON albums(title)",
            "CREATE TABLE played (id bigint PRIMARY KEY, singer bigint, album bigint,"
                    + " CONSTRAINT bysinger FOREIGN KEY (singer) REFERENCES singers (id) ON DELETE CASCADE,"
                    + " CONSTRAINT ofalbum FOREIGN KEY (singer, album) REFERENCES albums (id, album))",
            "CREATE VIEW ids SQL SECURITY INVOKER AS SELECT id, f FROM singers",
            "CREATE SCHEMA sc",
            "CREATE TABLE sc.t (id bigint PRIMARY KEY, v varchar(36))",
            "CREATE INDEX byv ON sc.t(v)",
            "CREATE CHANGE STREAM everything FOR ALL");

    @FunctionalInterface
    private interface Question {
        ResultSet ask(DatabaseMetaData metadata) throws SQLException;
    }

    private static Map<String, Question> questions(boolean postgres) {
        String main = postgres ? "public" : "";
        String named = postgres ? "sc" : "Sc";
        String singers = postgres ? "singers" : "Singers";
        String albums = postgres ? "albums" : "Albums";
        String played = postgres ? "played" : "Played";
        Map<String, Question> questions = new LinkedHashMap<>();
        questions.put("getSchemas", DatabaseMetaData::getSchemas);
        questions.put("getTableTypes", DatabaseMetaData::getTableTypes);
        for (String schema : List.of(main, named)) {
            questions.put("getTables of " + schema, metadata -> metadata.getTables(null, schema, null, null));
            questions.put("getColumns of " + schema, metadata -> metadata.getColumns(null, schema, null, null));
        }
        questions.put("getTables, views", metadata -> metadata.getTables(null, main, "%s", new String[] {"VIEW"}));
        for (String table : List.of(singers, albums, played)) {
            questions.put("getPrimaryKeys of " + table, metadata -> metadata.getPrimaryKeys(null, main, table));
            questions.put(
                    "getIndexInfo of " + table, metadata -> metadata.getIndexInfo(null, main, table, false, false));
            questions.put(
                    "getIndexInfo, unique, of " + table,
                    metadata -> metadata.getIndexInfo(null, null, table, true, false));
            questions.put("getImportedKeys of " + table, metadata -> metadata.getImportedKeys(null, main, table));
            questions.put("getExportedKeys of " + table, metadata -> metadata.getExportedKeys(null, main, table));
        }
        questions.put(
                "getCrossReference", metadata -> metadata.getCrossReference(null, main, singers, null, main, played));
        return questions;
    }

    @Test
    void the_driver_describes_a_schema_as_over_googles_emulator() throws SQLException {
        compare(Dialect.GOOGLE_STANDARD_SQL);
    }

    @Test
    @Tag("proof")
    void the_driver_describes_a_schema_in_postgresql_as_over_googles_emulator() throws SQLException {
        compare(Dialect.POSTGRESQL);
    }

    private static void compare(Dialect dialect) throws SQLException {
        String ours = described(QuietEmulators.server(QuietEmulators.alone()), dialect);
        assertThat(ours).containsIgnoringCase("FK_NAME=BySinger").containsIgnoringCase("INDEX_NAME=AlbumsByTitle");
        if (SpannerServers.google().isPresent()) {
            String googles = described(SpannerServers.google().get(), dialect);
            assertThat(ours).isEqualTo(googles);
            SpannerServer over =
                    QuietEmulators.server(QuietEmulators.overGoogles().orElseThrow());
            assertThat(described(over, dialect)).isEqualTo(googles);
        }
    }

    private static String described(SpannerServer server, Dialect dialect) throws SQLException {
        boolean postgres = dialect == Dialect.POSTGRESQL;
        DatabaseId database = server.createDatabase(dialect, postgres ? POSTGRESQL : GOOGLE);
        List<String> lines = new ArrayList<>();
        String url = "jdbc:cloudspanner://%s/%s;usePlainText=true".formatted(server.emulatorHost(), database.getName());
        try (Connection connection = DriverManager.getConnection(url)) {
            for (Map.Entry<String, Question> question : questions(postgres).entrySet()) {
                lines.add(question.getKey());
                try (ResultSet rows = question.getValue().ask(connection.getMetaData())) {
                    addRows(rows, database.getDatabase(), lines);
                }
            }
            try (Statement statement = connection.createStatement()) { // partitions change as long as there is a stream
                statement.execute("DROP CHANGE STREAM " + (postgres ? "everything" : "Everything"));
            }
        }
        return String.join("\n", lines);
    }

    private static void addRows(ResultSet rows, String database, List<String> lines) throws SQLException {
        ResultSetMetaData columns = rows.getMetaData();
        while (rows.next()) {
            StringBuilder row = new StringBuilder("  ");
            for (int i = 1; i <= columns.getColumnCount(); i++) {
                String value = String.valueOf(rows.getObject(i));
                row.append(columns.getColumnLabel(i)).append('=');
                row.append(value.equals(database) ? "" : value).append(' ');
            }
            if (row.indexOf(" INDEX_NAME=IDX_") < 0) {
                lines.add(row.toString());
            }
        }
    }
}
