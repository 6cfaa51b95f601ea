package dev.spream.storage.jdbc.internal;

import java.math.BigDecimal;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Binds the parameters of one statement in their order. */
public final class Parameters {
    private final Connection connection;
    private final PreparedStatement statement;
    private int last;

    public Parameters(Connection connection, PreparedStatement statement) {
        this.connection = connection;
        this.statement = statement;
    }

    public Parameters text(String value) throws SQLException {
        statement.setString(++last, value);
        return this;
    }

    public Parameters optionalText(Optional<String> value) throws SQLException {
        statement.setString(++last, value.orElse(null));
        return this;
    }

    public Parameters number(long value) throws SQLException {
        statement.setLong(++last, value);
        return this;
    }

    public Parameters flag(boolean value) throws SQLException {
        statement.setBoolean(++last, value);
        return this;
    }

    public Parameters decimal(@Nullable BigDecimal value) throws SQLException {
        statement.setObject(++last, value, Types.NUMERIC);
        return this;
    }

    public Parameters clock(OffsetDateTime value) throws SQLException {
        statement.setObject(++last, value);
        return this;
    }

    public Parameters optionalInteger(Optional<Integer> value) throws SQLException {
        statement.setObject(++last, value.orElse(null), Types.INTEGER);
        return this;
    }

    public Parameters optionalClock(Optional<OffsetDateTime> value) throws SQLException {
        statement.setObject(++last, value.orElse(null), Types.TIMESTAMP_WITH_TIMEZONE);
        return this;
    }

    public Parameters texts(Collection<String> values) throws SQLException {
        return texts(values, text -> text);
    }

    public <E> Parameters texts(Collection<E> values, Function<? super E, String> part) throws SQLException {
        return array("text", values, part);
    }

    public <E> Parameters optionalTexts(Collection<E> values, Function<? super E, Optional<String>> part)
            throws SQLException {
        return array("text", values, value -> part.apply(value).orElse(null));
    }

    public Parameters numbers(Collection<Long> values) throws SQLException {
        return numbers(values, number -> number);
    }

    public <E> Parameters numbers(Collection<E> values, Function<? super E, Long> part) throws SQLException {
        return array("bigint", values, part);
    }

    public <E> Parameters decimals(Collection<E> values, Function<? super E, BigDecimal> part) throws SQLException {
        return array("numeric", values, part);
    }

    public <E> Parameters optionalDecimals(Collection<E> values, Function<? super E, Optional<BigDecimal>> part)
            throws SQLException {
        return array("numeric", values, value -> part.apply(value).orElse(null));
    }

    public Parameters integers(Collection<Integer> values) throws SQLException {
        return integers(values, number -> number);
    }

    public <E> Parameters integers(Collection<E> values, Function<? super E, Integer> part) throws SQLException {
        return array("int", values, part);
    }

    public <E> Parameters optionalIntegers(Collection<E> values, Function<? super E, Optional<Integer>> part)
            throws SQLException {
        return array("int", values, value -> part.apply(value).orElse(null));
    }

    public <E> Parameters flags(Collection<E> values, Function<? super E, Boolean> part) throws SQLException {
        return array("boolean", values, part);
    }

    public <E> Parameters clocks(Collection<E> values, Function<? super E, OffsetDateTime> part) throws SQLException {
        return array("timestamptz", values, value -> part.apply(value).toString());
    }

    public <E> Parameters optionalClocks(Collection<E> values, Function<? super E, Optional<OffsetDateTime>> part)
            throws SQLException {
        return array(
                "timestamptz",
                values,
                value -> part.apply(value).map(OffsetDateTime::toString).orElse(null));
    }

    private <E> Parameters array(
            String type, Collection<E> values, Function<? super E, ? extends @Nullable Object> part)
            throws SQLException {
        Array array = connection.createArrayOf(type, values.stream().map(part).toArray());
        statement.setArray(++last, array);
        return this;
    }

    /** Returns the texts of an array column; empty if it is null. */
    public static List<String> texts(ResultSet row, String column) throws SQLException {
        Array array = row.getArray(column);
        return array == null ? List.of() : List.of((String[]) array.getArray());
    }

    /** Returns the text without the one character that PostgreSQL cannot store, NUL. */
    public static String storable(String text) {
        return text.replace("\0", "");
    }

    /**
     * Returns an array in the server's text form. Arrays of arrays must be rectangular, so lists of different lengths
     * are sent as texts and cast one by one.
     */
    public static String arrayText(List<String> values) {
        return values.stream()
                .map(value -> '"' + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"')
                .collect(Collectors.joining(",", "{", "}"));
    }
}
