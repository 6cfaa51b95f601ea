package dev.spream.sink.files;

import dev.spream.api.spi.ChangeFile;
import dev.spream.api.spi.EncodedChange;
import dev.spream.api.spi.FileFormat;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPOutputStream;

/** A line of JSON a change, in the shape of the documentation's {@code data_change_record}; compressed if wanted. */
record JsonLinesFormat(boolean isZipped) implements FileFormat {
    private static final int BUFFER_BYTES = 1 << 16;

    @Override
    public String extension() {
        return isZipped ? ".jsonl.gz" : ".jsonl";
    }

    @Override
    public EncodedChange encode(DataChangeRecord change, Delivery delivery) {
        return EncodedChange.of((change.toJson() + "\n").getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public ChangeFile begin() {
        return new Lines(isZipped, new ArrayList<>());
    }

    private record Lines(boolean isZipped, List<byte[]> lines) implements ChangeFile {
        @Override
        public boolean add(EncodedChange change) {
            return lines.addAll(change.values());
        }

        @Override
        public void write(OutputStream out) throws IOException {
            if (!isZipped) {
                writePlain(out);
                return;
            }
            GZIPOutputStream zipped = new GZIPOutputStream(out, BUFFER_BYTES);
            writePlain(zipped);
            zipped.finish();
        }

        private void writePlain(OutputStream out) throws IOException {
            for (byte[] line : lines) {
                out.write(line);
            }
        }
    }
}
