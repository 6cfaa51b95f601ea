package dev.spream.format.avro;

import dev.spream.api.spi.ChangeFile;
import dev.spream.api.spi.FileFormat;
import dev.spream.core.record.DataChangeRecord;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.file.SeekableByteArrayInput;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;

/** Files of changes, read by Avro alone. */
final class Containers {
    private Containers() {}

    /** Returns the files of changes of one kind. */
    static List<byte[]> files(FileFormat format, DataChangeRecord... changes) throws IOException {
        List<ChangeFile> files = new ArrayList<>();
        for (DataChangeRecord change : changes) {
            var encoded = format.encode(change, Changes.DELIVERY);
            if (files.isEmpty() || !files.getLast().add(encoded)) {
                files.add(format.begin());
                if (!files.getLast().add(encoded)) {
                    throw new AssertionError("the first change has to fit");
                }
            }
        }
        List<byte[]> contents = new ArrayList<>();
        for (ChangeFile file : files) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            file.write(out);
            contents.add(out.toByteArray());
        }
        return contents;
    }

    static Schema schema(byte[] content) throws IOException {
        try (DataFileReader<GenericRecord> reader =
                new DataFileReader<>(new SeekableByteArrayInput(content), new GenericDatumReader<>())) {
            return reader.getSchema();
        }
    }

    static String codec(byte[] content) throws IOException {
        try (DataFileReader<GenericRecord> reader =
                new DataFileReader<>(new SeekableByteArrayInput(content), new GenericDatumReader<>())) {
            return String.valueOf(reader.getMetaString("avro.codec"));
        }
    }

    static List<GenericRecord> records(byte[] content) throws IOException {
        return records(content, new GenericDatumReader<>());
    }

    static List<GenericRecord> records(byte[] content, GenericDatumReader<GenericRecord> datums) throws IOException {
        try (DataFileReader<GenericRecord> reader = new DataFileReader<>(new SeekableByteArrayInput(content), datums)) {
            List<GenericRecord> records = new ArrayList<>();
            reader.forEach(records::add);
            return records;
        }
    }
}
