package dev.spream.storage.spanner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.spream.core.source.SourceException;
import dev.spream.core.source.SourceException.Kind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SpannerConnectionIT {
    private static final DatabaseName DATABASE = new DatabaseName("p", "i", "d");

    @Test
    @Timeout(value = 30, unit = TimeUnit.SECONDS)
    void an_emulator_that_is_not_there_is_named_at_once() throws IOException {
        String nobody = "127.0.0.1:" + freePort();

        SourceException e = catchThrowableOfType(
                SourceException.class,
                () -> SpannerConnection.builder(DATABASE)
                        .emulatorHost(nobody)
                        .open()
                        .close());

        assertThat(e.kind()).isEqualTo(Kind.TRANSIENT);
        assertThat(e).hasMessageContaining("connecting to " + DATABASE).hasMessageContaining(nobody);
    }

    @Test
    @Timeout(value = 40, unit = TimeUnit.SECONDS)
    void connecting_to_a_silent_server_times_out() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            String host = "127.0.0.1:" + silent.getLocalPort();
            SourceException e = catchThrowableOfType(
                    SourceException.class,
                    () -> SpannerConnection.builder(DATABASE)
                            .emulatorHost(host)
                            .open()
                            .close());
            assertThat(e.kind()).isEqualTo(Kind.TRANSIENT);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Test
    void channels_follow_from_the_queries_that_may_be_open() {
        assertThat(SpannerConnection.Builder.channelsFor(1)).isEqualTo(2);
        assertThat(SpannerConnection.Builder.channelsFor(100)).isEqualTo(2);
        assertThat(SpannerConnection.Builder.channelsFor(101)).isEqualTo(3);
        assertThat(SpannerConnection.Builder.channelsFor(700)).isEqualTo(8);
        assertThat(SpannerConnection.Builder.channelsFor(25_500)).isEqualTo(256);
    }

    @Test
    void options_out_of_range_are_refused() {
        var builder = SpannerConnection.builder(DATABASE);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.maxOpenQueries(0))
                .withMessage("maxOpenQueries must be from 1 to 25500, was 0");
        assertThatIllegalArgumentException().isThrownBy(() -> builder.maxOpenQueries(25_501));
    }
}
