package dev.spream.format.avro;

import dev.spream.api.spi.ChangeFile;
import dev.spream.api.spi.EncodedChange;
import dev.spream.api.spi.FileFormat;
import dev.spream.api.spi.Format;
import dev.spream.api.spi.MessageFormat;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import java.util.Optional;
import org.apache.avro.file.CodecFactory;

/** Avro in files and messages. Safe for use by many threads. */
record AvroFormat(ValueShape values, Framing framing) implements Format {
    private static final int DEFLATE_LEVEL = 6;

    @Override
    public Optional<MessageFormat> messages() {
        return Optional.of(new Messages(values, framing));
    }

    @Override
    public Optional<FileFormat> files(String compression) {
        return Optional.of(new Files(values, codec(compression)));
    }

    private static CodecFactory codec(String compression) {
        return switch (compression) {
            case "none" -> CodecFactory.nullCodec();
            case "deflate" -> CodecFactory.deflateCodec(DEFLATE_LEVEL);
            case "zstandard" -> zstandard();
            default ->
                throw new IllegalArgumentException("compression: expected none, deflate or zstandard with format=avro");
        };
    }

    private static CodecFactory zstandard() {
        try {
            Class.forName("com.github.luben.zstd.Zstd", false, AvroFormat.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalArgumentException(
                    "compression: zstandard needs the library com.github.luben:zstd-jni beside spream-format-avro; add it, or set deflate",
                    e);
        }
        return CodecFactory.zstandardCodec(CodecFactory.DEFAULT_ZSTANDARD_LEVEL);
    }

    private record Messages(ValueShape values, Framing framing) implements MessageFormat {
        @Override
        public String contentType() {
            return "avro/binary";
        }

        @Override
        public boolean hasTombstones() {
            return values.hasTombstones();
        }

        @Override
        public byte[] key(DataChangeRecord change, Optional<String> topic) {
            return values.key(change, framing, topic);
        }

        @Override
        public byte[] value(DataChangeRecord change, Delivery delivery, Optional<String> topic) {
            return framing.framed(values.message(change, delivery), topic.map("%s-value"::formatted));
        }
    }

    private record Files(ValueShape values, CodecFactory codec) implements FileFormat {
        @Override
        public String extension() {
            return ".avro";
        }

        @Override
        public EncodedChange encode(DataChangeRecord change, Delivery delivery) {
            return values.inFile(change, delivery);
        }

        @Override
        public ChangeFile begin() {
            return new ContainerFile(codec);
        }
    }
}
