package dev.spream.storage.jdbc.table;

import dev.spream.projection.event.EventEnvelope;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The changes that a batch makes to a row of a {@link TableProjection}. Confined to one thread.
 *
 * @param <E> an entry
 */
public final class TableRow<E> {
    private final List<ProjectedColumn<E, ?>> columns;
    private List<? extends ProjectedColumn.Cell<E, ?>> cells = List.of(); // none if the row is deleted, or not begun
    private boolean deleted;

    TableRow(List<ProjectedColumn<E, ?>> columns) {
        this.columns = columns;
    }

    void add(E entry, EventEnvelope envelope) {
        if (cells.isEmpty()) {
            cells = columns.stream().map(ProjectedColumn::cell).toList();
        }
        cells.forEach(cell -> cell.add(entry, envelope));
    }

    void delete() {
        deleted = true;
        cells = List.of();
    }

    /** Returns whether the row as it was before the batch is deleted. */
    boolean isDeleted() {
        return deleted;
    }

    /** Returns whether there is something to write, after the deletion if there is one. */
    boolean isWritten() {
        return !cells.isEmpty();
    }

    @Nullable
    String text(int column) {
        return cells.get(column).text();
    }
}
