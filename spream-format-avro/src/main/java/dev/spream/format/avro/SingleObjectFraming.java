package dev.spream.format.avro;

import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Avro's single-object encoding: two bytes, and the fingerprint of the schema. The log shows each schema once, with its
 * fingerprint, for receivers that need it.
 *
 * @see <a href="https://avro.apache.org/docs/1.12.0/specification/#single-object-encoding">Avro's specification</a>
 */
final class SingleObjectFraming implements Framing {
    private static final Logger log = LoggerFactory.getLogger(SingleObjectFraming.class);
    private static final byte[] MARK = {(byte) 0xC3, 0x01};
    private static final int MAX_SHOWN = 1_000;

    private final String subscription;
    private final Map<String, Boolean> shown = new ConcurrentHashMap<>();

    SingleObjectFraming(String subscription) {
        this.subscription = subscription;
    }

    @Override
    public byte[] framed(Datum datum, Optional<String> subject) {
        WriterSchema schema = datum.schema();
        if (!shown.containsKey(schema.text()) && shown.size() < MAX_SHOWN && shown.put(schema.text(), true) == null) {
            log.info(
                    "[{}] messages with the fingerprint {} have the schema {}",
                    subscription,
                    HexFormat.of().formatHex(schema.fingerprint()),
                    schema.text());
        }
        return Framing.join(Framing.join(MARK, schema.fingerprint()), datum.bytes());
    }
}
