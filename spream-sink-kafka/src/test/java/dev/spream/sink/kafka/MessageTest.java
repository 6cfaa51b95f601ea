package dev.spream.sink.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;

class MessageTest {
    @Test
    void keys_that_are_no_text_have_lanes_of_their_own() {
        assertThat(IntStream.rangeClosed(0, 255).mapToObj(MessageTest::lane)).doesNotHaveDuplicates();
    }

    private static String lane(int last) {
        return new Message("orders", new byte[] {(byte) 0xC3, (byte) last}, null, new RecordHeaders()).lane();
    }
}
