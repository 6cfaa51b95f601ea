package dev.spream.sink.files;

import dev.spream.core.record.DataChangeRecord;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/** The form of the changes in a file. Safe for use by many threads. */
interface FileFormat {

    /** Returns the end of the names of such files, with its dot. */
    String extension();

    /** Returns one change in the form in which a file has it. */
    byte[] encode(DataChangeRecord change);

    /** Writes a whole file of changes that were encoded before, and leaves the stream open. */
    void write(List<PendingChange> changes, OutputStream out) throws IOException;
}
