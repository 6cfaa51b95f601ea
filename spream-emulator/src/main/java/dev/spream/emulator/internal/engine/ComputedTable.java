package dev.spream.emulator.internal.engine;

import java.util.List;
import java.util.function.Supplier;
import org.h2.engine.SessionLocal;
import org.h2.expression.Expression;
import org.h2.expression.ExpressionColumn;
import org.h2.result.LocalResult;
import org.h2.result.ResultInterface;
import org.h2.schema.Schema;
import org.h2.table.Column;
import org.h2.table.VirtualConstructedTable;
import org.h2.value.Value;
import org.h2.value.ValueToObjectConverter;
import org.jspecify.annotations.Nullable;

/** A table whose rows are computed by each statement that reads it, and that no statement writes. */
final class ComputedTable extends VirtualConstructedTable {
    private final Supplier<List<List<@Nullable Object>>> rows;

    /** @param rows returns the present rows, and is called by many threads */
    ComputedTable(Schema schema, String name, List<Column> columns, Supplier<List<List<@Nullable Object>>> rows) {
        super(schema, 0, name);
        this.rows = rows;
        setColumns(columns.toArray(Column[]::new));
    }

    /** Returns the name with its schema: the engine reads a subquery again from this text. */
    @Override
    public StringBuilder getSQL(StringBuilder builder, int sqlFlags) {
        return super.getSQL(getSchema().getSQL(builder, sqlFlags).append('.'), sqlFlags);
    }

    @Override
    public ResultInterface getResult(SessionLocal session) {
        Expression[] expressions = new Expression[columns.length];
        for (int i = 0; i < columns.length; i++) {
            expressions[i] = new ExpressionColumn(database, columns[i]);
        }
        LocalResult result = new LocalResult(session, expressions, columns.length, columns.length);
        rows.get().forEach(row -> result.addRow(values(row, session)));
        result.done();
        return result;
    }

    private Value[] values(List<@Nullable Object> row, SessionLocal session) {
        Value[] values = new Value[columns.length];
        for (int i = 0; i < columns.length; i++) {
            Value value = ValueToObjectConverter.objectToValue(session, row.get(i), Value.UNKNOWN);
            values[i] = columns[i].convert(session, value);
        }
        return values;
    }

    @Override
    public boolean isDeterministic() {
        return false;
    }

    @Override
    public boolean canGetRowCount(SessionLocal session) {
        return false;
    }

    @Override
    public long getRowCount(SessionLocal session) {
        return rows.get().size();
    }

    @Override
    public long getRowCountApproximation(SessionLocal session) {
        return rows.get().size();
    }
}
