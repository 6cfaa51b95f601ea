package dev.spream.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SpannerStreamTest {
    private static final String DATABASE = "projects/p/instances/i/databases/d";

    @TempDir
    private Path folder;

    @Test
    void the_settings_of_a_connection_are_used_on_the_machine_that_opens_it() throws Exception {
        String file = folder.resolve("key.json").toString();
        SpannerStream stream = InstantiationUtil.clone(SpannerStream.of(DATABASE, "Orders")
                .endpoint("spanner.example.com:443")
                .credentialsFile(file)
                .readFunction("READ_Orders_europe")
                .directedReads("exclude:read-write")
                .databaseRole("reader"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> stream.open().close())
                .withMessageContaining(file + " does not exist");

        SpannerSubscription subscription = InstantiationUtil.clone(
                SpannerSubscription.of(DATABASE, "Partitions").credentialsFile(file));
        assertThatIllegalArgumentException()
                .isThrownBy(subscription::read)
                .withMessageContaining(file + " does not exist");
    }

    @Test
    void an_endpoint_of_another_form_is_refused_at_once() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SpannerStream.of(DATABASE, "Orders").endpoint("http://localhost:9010"))
                .withMessageContaining("expected host:port");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SpannerSubscription.of(DATABASE, "P").endpoint("spanner"))
                .withMessageContaining("expected host:port");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SpannerStream.of(DATABASE, "Orders").directedReads("us-east1"))
                .withMessageContaining("expected include:");
        assertThat(SpannerStream.of(DATABASE, "Orders").endpoint("https://localhost"))
                .isNotNull();
    }
}
