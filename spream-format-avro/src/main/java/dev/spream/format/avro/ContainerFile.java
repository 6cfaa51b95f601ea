package dev.spream.format.avro;

import dev.spream.api.spi.ChangeFile;
import dev.spream.api.spi.EncodedChange;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;
import org.jspecify.annotations.Nullable;

/**
 * An object container file of Avro. Its schema has the fields of all changes in it: a change from before a new column gets
 * a null there. A change of which a column has another type than before is for the next file.
 */
final class ContainerFile implements ChangeFile {
    private final CodecFactory codec;
    private final List<EncodedChange> changes = new ArrayList<>();
    private final Map<String, Schema> schemas = new LinkedHashMap<>(); // by their text
    private final Map<String, Schema> types = new HashMap<>(); // of the fields, without null

    ContainerFile(CodecFactory codec) {
        this.codec = codec;
    }

    @Override
    public boolean add(EncodedChange change) {
        if (!schemas.containsKey(change.schema())) {
            Schema schema = new Schema.Parser().parse(change.schema());
            if (!fits(schema)) {
                return false;
            }
            schema.getFields().forEach(field -> types.put(field.name(), type(field.schema())));
            schemas.put(change.schema(), schema);
        }
        return changes.add(change);
    }

    /** Returns whether one schema can have the fields of this one and of those in the file. */
    private boolean fits(Schema schema) {
        return schema.getFields().stream().allMatch(field -> {
                    @Nullable Schema known = types.get(field.name());
                    return known == null || known.equals(type(field.schema()));
                })
                && schemas.values().stream()
                        .allMatch(other -> hasRequired(schema, other) && hasRequired(other, schema));
    }

    /** Returns whether a schema has the fields of another that are never null, such as its key. */
    private static boolean hasRequired(Schema schema, Schema other) {
        return other.getFields().stream()
                .filter(field -> !isNullable(field.schema()) && !field.hasDefaultValue())
                .allMatch(field -> schema.getField(field.name()) != null);
    }

    /** Returns the type of values other than null. */
    private static Schema type(Schema schema) {
        return isNullable(schema) ? schema.getTypes().getLast() : schema;
    }

    private static boolean isNullable(Schema schema) {
        return schema.getType() == Schema.Type.UNION;
    }

    @Override
    public void write(OutputStream out) throws IOException {
        Schema whole = whole();
        // Not closed: that would close the stream.
        DataFileWriter<GenericRecord> writer = new DataFileWriter<>(new GenericDatumWriter<GenericRecord>(whole));
        writer.setCodec(codec);
        writer.create(whole, out);
        Map<String, GenericDatumReader<GenericRecord>> converters = new HashMap<>();
        schemas.forEach((text, schema) -> {
            if (!schema.equals(whole)) {
                converters.put(text, new GenericDatumReader<>(schema, whole));
            }
        });
        for (EncodedChange change : changes) {
            @Nullable GenericDatumReader<GenericRecord> converter = converters.get(change.schema());
            for (byte[] value : change.values()) {
                if (converter == null) {
                    writer.appendEncoded(ByteBuffer.wrap(value));
                } else {
                    writer.append(converter.read(null, DecoderFactory.get().binaryDecoder(value, null)));
                }
            }
        }
        writer.flush();
    }

    /** Returns the schema with the fields of all: those of the one with most fields, and others after them. */
    private Schema whole() {
        if (schemas.size() == 1) {
            return schemas.values().iterator().next();
        }
        List<Schema> widest = schemas.values().stream()
                .sorted(Comparator.comparingInt(
                                (Schema schema) -> schema.getFields().size())
                        .reversed())
                .toList();
        Map<String, Schema.Field> fields = new LinkedHashMap<>();
        widest.forEach(schema -> schema.getFields()
                .forEach(field -> fields.merge(
                        field.name(), field, (first, second) -> isNullable(first.schema()) ? first : second)));
        Schema first = widest.getFirst();
        return Schema.createRecord(
                first.getName(),
                first.getDoc(),
                first.getNamespace(),
                false,
                fields.values().stream()
                        .map(field -> new Schema.Field(field, field.schema()))
                        .toList());
    }
}
