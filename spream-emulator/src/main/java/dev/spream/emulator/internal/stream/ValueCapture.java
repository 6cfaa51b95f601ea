package dev.spream.emulator.internal.stream;

import dev.spream.emulator.internal.schema.RowChange.Kind;

/**
 * The values of a changed row that a stream records.
 *
 * @see <a href="https://cloud.google.com/spanner/docs/change-streams#value-capture-type">value capture types</a>
 */
enum ValueCapture {
    OLD_AND_NEW_VALUES,
    NEW_VALUES,
    NEW_ROW,
    NEW_ROW_AND_OLD_VALUES;

    /** A set of watched columns of which a record has values. */
    enum Extent {
        NONE,
        MODIFIED,
        WATCHED
    }

    /** Returns the columns whose types a record lists; changes with the same ones share a record. */
    Extent listed(Kind kind) {
        boolean modifiedOnly = kind == Kind.UPDATE && (this == OLD_AND_NEW_VALUES || this == NEW_VALUES);
        return modifiedOnly ? Extent.MODIFIED : Extent.WATCHED;
    }

    Extent newValues(Kind kind) {
        return kind == Kind.DELETE ? Extent.NONE : listed(kind);
    }

    Extent oldValues(Kind kind) {
        if (kind == Kind.INSERT || this == NEW_VALUES || this == NEW_ROW) {
            return Extent.NONE;
        }
        return kind == Kind.DELETE ? Extent.WATCHED : Extent.MODIFIED;
    }
}
