package dev.spream.sink.files;

import dev.spream.api.spi.ChangeFile;
import dev.spream.api.spi.FileFormat;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** A file of changes before it is stored. */
record PendingFile(ChangeFile file, List<PendingChange> changes) {

    /** Divides changes of one folder and kind into files, in order: mostly one. */
    static List<PendingFile> of(List<PendingChange> changes, FileFormat format) {
        List<PendingFile> files = new ArrayList<>();
        for (PendingChange change : changes) {
            if (files.isEmpty() || !files.getLast().add(change)) {
                PendingFile next = new PendingFile(format.begin(), new ArrayList<>());
                if (!next.add(change)) {
                    throw new IllegalStateException(
                            "a change of the table %s fits into no file of %s, which is a defect of the format"
                                    .formatted(change.table(), format.extension()));
                }
                files.add(next);
            }
        }
        return files;
    }

    private boolean add(PendingChange change) {
        return file.add(change.encoded()) && changes.add(change);
    }

    byte[] content() {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        try {
            file.write(content);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // nothing is written but memory
        }
        return content.toByteArray();
    }
}
