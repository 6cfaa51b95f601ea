package dev.spream.cli.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.api.gax.rpc.UnaryCallSettings;
import com.google.cloud.spanner.ErrorCode;
import com.google.cloud.spanner.SpannerExceptionFactory;
import com.google.cloud.spanner.SpannerOptions;
import dev.spream.cli.command.CommandFailure;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class DemoDatabaseTest {
    @Test
    void every_call_has_two_minutes() throws Exception {
        SpannerOptions options = DemoDatabase.options("localhost:9010");
        assertThat(List.of(
                        options.getSpannerStubSettings().commitSettings(),
                        options.getSpannerStubSettings().createSessionSettings(),
                        options.getInstanceAdminStubSettings().createInstanceSettings(),
                        options.getDatabaseAdminStubSettings().createDatabaseSettings(),
                        options.getDatabaseAdminStubSettings().updateDatabaseDdlSettings()))
                .extracting(UnaryCallSettings::getRetrySettings)
                .allSatisfy(times -> assertThat(List.of(
                                times.getInitialRpcTimeoutDuration(),
                                times.getMaxRpcTimeoutDuration(),
                                times.getTotalTimeoutDuration()))
                        .containsOnly(Duration.ofMinutes(2)));
    }

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
