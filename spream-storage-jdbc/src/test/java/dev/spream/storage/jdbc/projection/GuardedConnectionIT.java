package dev.spream.storage.jdbc.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.zaxxer.hikari.pool.ProxyConnection;
import dev.spream.projection.FailureKind;
import dev.spream.projection.ProjectionException;
import dev.spream.storage.jdbc.TestDatabase;
import dev.spream.storage.jdbc.internal.GuardedConnection;
import dev.spream.storage.jdbc.projection.internal.ProjectionTransactionGuard;
import java.io.StringReader;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Wrapper;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.PGConnection;
import org.postgresql.PGStatement;
import org.postgresql.core.BaseConnection;
import org.postgresql.jdbc.AutoSave;
import org.postgresql.jdbc.PgConnection;
import org.postgresql.jdbc.PgResultSet;
import org.postgresql.jdbc.PgStatement;

/** Nothing that a projection gets from its connection leads to the one behind it. */
@Timeout(120)
final class GuardedConnectionIT {
    private final TestDatabase database = TestDatabase.with(
            "guarded items", empty -> empty.execute("CREATE TABLE public.items (id serial PRIMARY KEY, tags text[])"));
    private Connection real;
    private GuardedConnection guard;
    private Connection view;

    @BeforeEach
    void open() throws SQLException {
        real = database.dataSource().getConnection();
        real.setAutoCommit(false);
        guard = new GuardedConnection(real, ProjectionTransactionGuard.PROJECTION);
        view = guard.view();
    }

    @AfterEach
    void close() throws SQLException {
        real.rollback();
        real.close();
        database.close();
    }

    interface Path {
        Connection walk(Connection view) throws SQLException;
    }

    private static Path ofRows(RowsPath rows) {
        return view -> rows.walk(view).getStatement().getConnection();
    }

    private interface RowsPath {
        ResultSet walk(Connection view) throws SQLException;
    }

    private static ResultSet first(ResultSet rows) throws SQLException {
        assertThat(rows.next()).isTrue();
        return rows;
    }

    static Stream<Arguments> paths() {
        return Stream.of(
                arguments("itself", (Path) view -> view.unwrap(Connection.class)),
                arguments("a statement", (Path) view -> view.createStatement().getConnection()),
                arguments("a prepared statement", (Path)
                        view -> view.prepareStatement("SELECT 1").getConnection()),
                arguments("a call", (Path) view -> view.prepareCall("SELECT 1").getConnection()),
                arguments("metadata", (Path) view -> view.getMetaData().getConnection()),
                arguments("rows", ofRows(view -> view.createStatement().executeQuery("SELECT 1"))),
                arguments(
                        "rows of a prepared statement",
                        ofRows(view -> view.prepareStatement("SELECT 1").executeQuery())),
                arguments("rows of metadata", ofRows(view -> view.getMetaData().getSchemas())),
                arguments("generated keys", ofRows(view -> {
                    PreparedStatement insert = view.prepareStatement(
                            "INSERT INTO public.items (tags) VALUES (NULL)", Statement.RETURN_GENERATED_KEYS);
                    insert.executeUpdate();
                    return insert.getGeneratedKeys();
                })),
                arguments(
                        "rows of an array",
                        ofRows(view ->
                                view.createArrayOf("text", new Object[] {"a"}).getResultSet())),
                arguments(
                        "rows of an array of a row",
                        ofRows(view -> first(view.createStatement().executeQuery("SELECT ARRAY['a']"))
                                .getArray(1)
                                .getResultSet())),
                arguments("rows of a cursor", ofRows(view -> {
                    Statement statement = view.createStatement();
                    statement.execute("DECLARE ones CURSOR FOR SELECT 1");
                    return (ResultSet) first(statement.executeQuery("SELECT 'ones'::refcursor"))
                            .getObject(1);
                })));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("paths")
    void objects_of_the_connection_return_the_guarded_connection(String from, Path path) throws SQLException {
        Connection reached = path.walk(view);
        assertThat(reached).isSameAs(view);
        assertThatThrownBy(reached::commit).isInstanceOf(ProjectionException.class);
    }

    @Test
    void rows_know_the_statement_that_they_are_of() throws SQLException {
        PreparedStatement statement = view.prepareStatement("SELECT 1");
        ResultSet rows = statement.executeQuery();
        assertThat(rows.getStatement()).isSameAs(statement);
        assertThat(statement).isNotEqualTo(view.prepareStatement("SELECT 1"));
    }

    static Stream<Class<?>> connections() {
        return Stream.of(PgConnection.class, BaseConnection.class, ProxyConnection.class);
    }

    @ParameterizedTest
    @MethodSource("connections")
    void it_is_unwrapped_to_no_connection(Class<?> type) throws SQLException {
        assertIsNotGiven(view, type);
    }

    @Test
    void nothing_is_unwrapped_to_classes_which_know_their_connection() throws SQLException {
        Statement statement = view.createStatement();
        assertIsNotGiven(statement, PgStatement.class);
        assertIsNotGiven(statement.executeQuery("SELECT 1"), PgResultSet.class);
    }

    private static void assertIsNotGiven(Wrapper wrapper, Class<?> type) throws SQLException {
        assertThat(wrapper.isWrapperFor(type)).isFalse();
        Exception refused = catchException(() -> wrapper.unwrap(type));
        assertThat(refused).isInstanceOf(SQLException.class).hasMessageContaining(type.getName());
        assertThat(FailureKinds.of(refused)).isEqualTo(FailureKind.FATAL);
        assertThat(FailureTexts.of(refused)).contains(type.getName());
    }

    @Test
    void the_drivers_interface_copies_and_sets_nothing_that_stays() throws Exception {
        assertThat(view.isWrapperFor(PGConnection.class)).isTrue();
        PGConnection driver = view.unwrap(PGConnection.class);
        assertThat(driver).isNotInstanceOf(Connection.class);
        driver.getCopyAPI().copyIn("COPY public.items FROM STDIN (FORMAT csv)", new StringReader("1,{a}\n2,{b}\n"));
        assertThat(first(view.createStatement().executeQuery("SELECT count(*) FROM public.items"))
                        .getInt(1))
                .isEqualTo(2);
        assertThatThrownBy(() -> driver.setAutosave(AutoSave.ALWAYS))
                .isInstanceOf(ProjectionException.class)
                .hasMessageContaining("setAutosave()");
        assertThat(real.unwrap(PGConnection.class).getAutosave()).isEqualTo(AutoSave.NEVER);
    }

    interface Setting {
        void set(Connection view) throws SQLException;
    }

    static Stream<Arguments> settings() {
        return Stream.of(
                arguments("setSchema", (Setting) view -> view.setSchema("public")),
                arguments("setCatalog", (Setting) view -> view.setCatalog("postgres")),
                arguments("setClientInfo", (Setting) view -> view.setClientInfo("ApplicationName", "mine")),
                arguments("setHoldability", (Setting) view -> view.setHoldability(ResultSet.CLOSE_CURSORS_AT_COMMIT)),
                arguments("setTypeMap", (Setting) view -> view.setTypeMap(Map.of())));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("settings")
    void settings_that_would_outlast_the_transaction_are_refused(String method, Setting setting) {
        assertThatThrownBy(() -> setting.set(view))
                .isInstanceOf(ProjectionException.class)
                .hasMessageContaining(method + "()")
                .hasMessageContaining("SET LOCAL");
    }

    @Test
    void the_prepare_threshold_of_a_statement_may_be_set() throws SQLException {
        PreparedStatement statement = view.prepareStatement("SELECT 1");
        PGStatement driver = statement.unwrap(PGStatement.class);
        driver.setPrepareThreshold(1);
        assertThat(driver.getPrepareThreshold()).isEqualTo(1);
        assertThat(driver).isNotInstanceOf(Statement.class);
    }

    @Test
    void arrays_are_written_and_read() throws SQLException {
        for (String set : List.of("setArray", "setObject")) {
            PreparedStatement insert =
                    view.prepareStatement("INSERT INTO public.items (tags) VALUES (?) RETURNING tags");
            Array array = view.createArrayOf("text", new Object[] {"a", "b,c"});
            assertThat(array).hasToString("{\"a\",\"b,c\"}");
            if (set.equals("setArray")) {
                insert.setArray(1, array);
            } else {
                insert.setObject(1, array);
            }
            assertThat((Object[]) first(insert.executeQuery()).getArray(1).getArray())
                    .containsExactly("a", "b,c");
        }
    }

    @Test
    void an_error_of_the_server_is_thrown_as_it_is() {
        assertThatThrownBy(() -> view.prepareStatement("SELECT 1 / 0").executeQuery())
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("22012"));
    }

    @Test
    void nothing_of_it_is_of_use_once_the_work_is_over() throws SQLException {
        PreparedStatement statement = view.prepareStatement("SELECT 1");
        ResultSet rows = statement.executeQuery();
        PGConnection driver = view.unwrap(PGConnection.class);
        guard.end();
        assertThatThrownBy(statement::executeQuery).hasMessageContaining("whose transaction has ended");
        assertThatThrownBy(rows::next).hasMessageContaining("whose transaction has ended");
        assertThatThrownBy(driver::getCopyAPI).hasMessageContaining("whose transaction has ended");
        assertThatThrownBy(view::createStatement).hasMessageContaining("whose transaction has ended");
    }
}
