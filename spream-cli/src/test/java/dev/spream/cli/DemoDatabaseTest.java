package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.ErrorCode;
import com.google.cloud.spanner.SpannerExceptionFactory;
import org.junit.jupiter.api.Test;

final class DemoDatabaseTest {
    @Test
    void a_server_that_is_late_is_told_in_words() {
        CommandFailure failure = DemoDatabase.failure(
                "localhost:9010",
                SpannerExceptionFactory.newSpannerException(
                        ErrorCode.DEADLINE_EXCEEDED, "deadline exceeded after 19.9s"));
        assertThat(failure)
                .hasMessageContaining("did not answer in time")
                .hasMessageContaining("try again")
                .hasMessageNotContaining("DEADLINE_EXCEEDED");
    }
}
