package dev.spream.api.spi;

import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;

/** The form of changes in whole files. Safe for use by many threads; see {@link Format} for failures. */
public interface FileFormat {

    /** Returns the end of the names of such files, with its dot. */
    String extension();

    /** Returns a change in the form in which it waits for its file. */
    EncodedChange encode(DataChangeRecord change, Delivery delivery);

    /** Begins a file, in memory. */
    ChangeFile begin();
}
