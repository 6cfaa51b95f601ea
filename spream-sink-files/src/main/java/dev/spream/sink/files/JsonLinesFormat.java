package dev.spream.sink.files;

import dev.spream.core.record.DataChangeRecord;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.GZIPOutputStream;

/** A line of JSON a change, in the shape of the documentation's {@code data_change_record}; compressed if wanted. */
record JsonLinesFormat(Compression compression) implements FileFormat {
    private static final int BUFFER_BYTES = 1 << 16;

    @Override
    public String extension() {
        return ".jsonl" + compression.extension();
    }

    @Override
    public byte[] encode(DataChangeRecord change) {
        return (change.toJson() + "\n").getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void write(List<PendingChange> changes, OutputStream out) throws IOException {
        switch (compression) {
            case NONE -> writePlain(changes, out);
            case GZIP -> {
                GZIPOutputStream zipped = new GZIPOutputStream(out, BUFFER_BYTES);
                writePlain(changes, zipped);
                zipped.finish();
            }
        }
    }

    private static void writePlain(List<PendingChange> changes, OutputStream out) throws IOException {
        for (PendingChange change : changes) {
            out.write(change.bytes());
        }
    }
}
