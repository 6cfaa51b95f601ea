package dev.spream.storage.jdbc.internal;

import java.math.BigDecimal;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
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

    public Parameters decimal(@Nullable BigDecimal value) throws SQLException {
        statement.setObject(++last, value, Types.NUMERIC);
        return this;
    }

    public Parameters clock(OffsetDateTime value) throws SQLException {
        statement.setObject(++last, value);
        return this;
    }

    public Parameters texts(Collection<String> values) throws SQLException {
        return array("text", values.toArray());
    }

    public Parameters numbers(Collection<Long> values) throws SQLException {
        return array("bigint", values.toArray());
    }

    public Parameters decimals(Collection<BigDecimal> values) throws SQLException {
        return array("numeric", values.toArray());
    }

    public Parameters optionalTexts(Collection<Optional<String>> values) throws SQLException {
        return array("text", values.stream().map(value -> value.orElse(null)).toArray());
    }

    public Parameters integers(Collection<Integer> values) throws SQLException {
        return array("int", values.toArray());
    }

    public Parameters optionalIntegers(Collection<Optional<Integer>> values) throws SQLException {
        return array("int", values.stream().map(value -> value.orElse(null)).toArray());
    }

    public Parameters flags(Collection<Boolean> values) throws SQLException {
        return array("boolean", values.toArray());
    }

    public Parameters optionalClocks(Collection<Optional<OffsetDateTime>> values) throws SQLException {
        return array(
                "timestamptz",
                values.stream()
                        .map(value -> value.map(OffsetDateTime::toString).orElse(null))
                        .toArray());
    }

    private Parameters array(String type, Object[] values) throws SQLException {
        Array array = connection.createArrayOf(type, values);
        statement.setArray(++last, array);
        return this;
    }

    /**
     * An array in the server's text form. Arrays of arrays must be rectangular, so lists of different lengths are sent as
     * texts and cast one by one.
     */
    public static String arrayText(List<String> values) {
        return values.stream()
                .map(value -> '"' + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"')
                .collect(Collectors.joining(",", "{", "}"));
    }
}
